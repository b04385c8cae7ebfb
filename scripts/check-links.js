// Every relative link of the Markdown files that git knows leads to a file, and to a heading of it if it names one. Links to
// other sites are not followed: a check that fails when somebody else's server is down tells nobody anything.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "*.md"];
const pages = execFileSync("git", listed, { cwd: root, encoding: "utf8" })
	.split("\0")
	.filter(Boolean);
const problems = pages.filter((page) => existsSync(join(root, page))).flatMap(brokenLinks);
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`The links of ${pages.length} pages lead somewhere.`);
process.exitCode = problems.length > 0 ? 1 : 0;

function brokenLinks(page) {
	const file = join(root, page);
	return linksOf(readFileSync(file, "utf8")).flatMap((link) => {
		const [path, heading] = decodeURI(link).split("#");
		const target = path === "" ? file : resolve(dirname(file), path);
		if (!existsSync(target) || relative(root, target).startsWith("..")) {
			return [`${page}: ${link} leads nowhere`];
		}
		if (heading === undefined || statSync(target).isDirectory()) return [];
		const known = headingsOf(readFileSync(target, "utf8"));
		return known.has(heading) ? [] : [`${page}: ${link} names no heading of that page`];
	});
}

function linksOf(text) {
	const prose = withoutCode(text);
	const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
	const referenced = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
	const links = [...inline, ...referenced].map(([, link]) => link);
	return links.filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link));
}

/** As GitHub makes anchors: the second heading of the same words gets `-1`. */
function headingsOf(text) {
	const seen = new Map();
	const anchors = [...text.replace(/^```.*?^```/gms, "").matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)];
	return new Set(
		anchors.map(([, heading]) => {
			const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
			const slug = words.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
			const count = seen.get(slug) ?? 0;
			seen.set(slug, count + 1);
			return count === 0 ? slug : `${slug}-${count}`;
		}),
	);
}

function withoutCode(text) {
	return text.replace(/^(`{3,}|~{3,}).*?^\1/gms, "").replace(/`[^`\n]*`/g, "");
}
