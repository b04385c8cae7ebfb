import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LintedFile, lint } from "@pi-subagents/definitions";
import type { HostLine, RpcTestHost } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { projectFolder } from "../src/paths.js";
import { type ChildWorld, delegate, onBothHosts, script } from "./child-host.js";
import { ask } from "./tool-answers.js";

// The files and what is right for each are those of the definitions package, whose own tests hold its command to them;
// this holds the extension to the command.
const FOLDER = join(projectFolder, "packages/definitions/test/fixtures");
const expected: {
	readonly files: Readonly<Record<string, unknown>>;
	readonly extra_inline_cases: readonly { readonly file: string; readonly text: string }[];
} = JSON.parse(await readFile(join(FOLDER, "expected.json"), "utf8"));
const FIXTURES = await Promise.all(
	Object.keys(expected.files).map(
		async (name) => [name, await readFile(join(FOLDER, name))] as const,
	),
);
const INLINE = expected.extra_inline_cases.map(
	({ file, text }) => [file, Buffer.from(text)] as const,
);
type Files = readonly (readonly [name: string, content: Buffer])[];

const HOST_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"];
const BUILT_IN = ["general-purpose", "Explore", "Plan"];

onBothHosts("agent files that people write", agentFiles);

function agentFiles(world: ChildWorld): void {
	test("each file is loaded with its tools and text, or refused with a reason: all together and each alone (PARSE-01) (PARSE-02) (PARSE-03) (PARSE-04) (PARSE-05) (PARSE-06) (PARSE-08) (PARSE-09) (PARSE-13) (PERM-05) (PERM-06) (PERM-10)", async () => {
		const host = await world.session();
		const all = [...FIXTURES, ...INLINE];
		// Files come and go in one session, which sees that by itself.
		for (const file of all) await endAsLinted(host, [file]);
		for (const files of [FIXTURES, INLINE, all]) await endAsLinted(host, files, true);
	});

	/** When these are the files, the command and the extension say the same of each. */
	async function endAsLinted(host: RpcTestHost, files: Files, fresh = false): Promise<void> {
		const linted = await lintOf(files);
		const folder = join(host.directories.agentDir, "agents");
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder);
		for (const [name, content] of files) await writeFile(join(folder, name), content);

		const from = host.events.length;
		if (fresh) await host.send({ type: "new_session" });
		const first = world.server.requests.length;
		const judged = Object.entries(linted).filter(([, { outcome }]) => outcome !== "not_an_agent");
		const names = judged.map(([, { name = "" }]) => name);
		const answers = await ask(
			host,
			...names.map((type, index) =>
				// Their own models are not there.
				delegate(`FILE-${index} ${script({ text: "done" })}`, {
					subagent_type: type,
					model: "mock/m1",
				}),
			),
		);
		const requests = world.server.requests.slice(first);
		for (const [index, [file, { outcome, enabled, tools, body }]] of judged.entries()) {
			const answer = answers[index];
			// Of two files with one name one is rejected, and the name leads to the other.
			const isTwin = names.indexOf(names[index] ?? "") !== names.lastIndexOf(names[index] ?? "");
			if (isTwin && outcome === "reject") continue;
			const starts = outcome !== "reject" && enabled !== false;
			expect([file, answer?.isError, answer?.text]).toEqual([file, !starts, expect.any(String)]);
			if (!starts) {
				expect(answer?.text).toContain(file);
				continue;
			}
			const [request] = requests.filter(({ lastUserText }) =>
				lastUserText.startsWith(`FILE-${index} `),
			);
			const named = tools === "all" ? HOST_TOOLS : (tools ?? []);
			const has = (list: readonly string[] = []): readonly string[] =>
				HOST_TOOLS.filter((tool) => list.includes(tool));
			expect([file, has(request?.tools)]).toEqual([file, has(named)]);
			expect(request?.system).toContain(body?.trim() ?? "");
		}

		const told = notifications(host.events.slice(from))
			.split("\n")
			.filter((line) => !line.includes("only be started with another model"))
			.join("\n");
		for (const [file, { outcome }] of Object.entries(linted)) {
			const mustBeTold = outcome === "reject" || outcome === "load_with_warning";
			expect([file, told.includes(file)]).toEqual([file, mustBeTold]);
		}
		const lines = JSON.stringify(requests[0]?.body.tools).split("\\n");
		for (const line of lines.filter((text) => text.startsWith("- "))) {
			expect(line).not.toContain("</agents>");
			expect([...BUILT_IN, ...names]).toContain(/^- ([^:]*): /.exec(line)?.[1]);
		}
	}

	test("a type that is not there, rejected or disabled is refused with a reason (PERM-07) (PERM-08) (SCHEMA-06)", async () => {
		const host = await world.rpc({
			agentFiles: {
				broken: "---\nname: open-end\ntools: read\n\nNever closed.",
				off: "---\nname: off\ndescription: Is off\nenabled: false\n---\nOff.",
				reviewer: "---\nname: reviewer\ndescription: Reviews\ntools: read\n---\nReview.",
			},
		});
		const answers = await ask(
			host,
			...["reviwer", "off", "broken", "REVIEWER"].map((subagent_type) =>
				delegate(`TYPE ${script({ text: "done" })}`, { subagent_type }),
			),
		);
		expect(answers.map(({ isError }) => isError)).toEqual([true, true, true, false]);
		expect(answers[0]?.text).toMatch(/^There is no agent "reviwer"\. Did you mean "reviewer"\?/);
		expect(answers[1]?.text).toMatch(/^The agent "off" is disabled by .*off\.md\.$/);
		expect(answers[2]?.text).toMatch(/broken/);
	});
}

async function lintOf(files: Files): Promise<Readonly<Record<string, LintedFile>>> {
	const folder = await mkdtemp(join(tmpdir(), "pi-subagents-lint-"));
	try {
		for (const [name, content] of files) await writeFile(join(folder, name), content);
		return JSON.parse((await lint(["--json", folder])).output);
	} finally {
		await rm(folder, { recursive: true });
	}
}

function notifications(events: readonly HostLine[]): string {
	return events
		.flatMap((event) =>
			event.type === "extension_ui_request" && event.method === "notify" ? [event.message] : [],
		)
		.join("\n");
}
