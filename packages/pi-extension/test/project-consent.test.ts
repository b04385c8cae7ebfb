import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAgentFile } from "@pi-subagents/definitions";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HostTrust } from "../src/host/project-trust.js";
import { agentFileOf, createProjectConsent, type ProjectFile } from "../src/project-consent.js";

let root: string;
let project: string;
let store: string;
beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "consent-"));
	project = join(root, "project");
	store = join(root, "agent", "subagents-projects.json");
	await mkdir(project);
});
afterEach(() => rm(root, { recursive: true }));

const FILE: ProjectFile = { path: ".pi/agents/a.md", about: "a: bash", rights: "1" };
const OTHER: ProjectFile = { path: ".pi/agents/b.md", about: "b: read", rights: "2" };

async function opened(host: HostTrust = "undecided") {
	const consent = createProjectConsent(store);
	await consent.open(project, () => host);
	return consent;
}

test.each([
	["undecided", "ask", false, "unanswered"],
	["undecided", "always", true, "unanswered"],
	["undecided", "never", false, "setting"],
	["trusted", "ask", true, "unanswered"],
	["trusted", "never", false, "setting"],
	["untrusted", "ask", false, "host"],
	["untrusted", "always", false, "host"],
] as const)(
	"without an answer: %s by the host, %s by the setting: %s (PERM-13)",
	async (host, mode, accepted, why) => {
		const consent = await opened(host);
		expect(consent.accepts(FILE, mode)).toBe(accepted);
		if (!accepted) expect(consent.why(mode)).toBe(why);
	},
);

test("an answer holds for the files with their rights, here and in the next process (PERM-13)", async () => {
	await (await opened()).answer("always", [FILE]);
	const consent = await opened();
	expect(consent.accepts(FILE, "ask")).toBe(true);
	expect(consent.accepts({ ...FILE, rights: "more" }, "ask")).toBe(false);
	// What cannot be used can do nothing, so it may say why.
	expect(consent.accepts({ path: FILE.path, about: "broken" }, "ask")).toBe(true);
	expect(consent.accepts(OTHER, "ask")).toBe(false);
	await consent.answer("always", [OTHER]);
	expect(consent.accepts(FILE, "ask")).toBe(true);
	expect(consent.accepts(OTHER, "ask")).toBe(true);
});

test("an answer for the session is not stored, and a refusal refuses every file (PERM-13)", async () => {
	const consent = await opened();
	await consent.answer("session", [FILE]);
	expect(consent.accepts(FILE, "ask")).toBe(true);
	expect((await opened()).accepts(FILE, "ask")).toBe(false);

	await consent.answer("never", [FILE]);
	const later = await opened();
	expect([FILE, OTHER].map((file) => later.accepts(file, "ask"))).toEqual([false, false]);
	expect(later.why("ask")).toBe("refused");
});

test("a store that cannot be read gives no rights, is not overwritten, and the answer holds for the session", async () => {
	await mkdir(join(root, "agent"));
	await writeFile(store, "{");
	const consent = await opened();
	expect(consent.accepts(FILE, "ask")).toBe(false);
	await expect(consent.answer("always", [FILE])).rejects.toThrow();
	expect(consent.accepts(FILE, "ask")).toBe(true);
	expect(await readFile(store, "utf8")).toBe("{");

	await writeFile(store, JSON.stringify({ [project]: { use: "yes", files: 7 }, other: null }));
	expect((await opened()).accepts(FILE, "ask")).toBe(false);
});

test("every field that decides what an agent may do is part of its rights, and its text is not", () => {
	const rightsOf = (more = "", body = ""): string | undefined => {
		const content = `---\n${more.includes("name:") ? "" : "name: a\n"}tools: read\n${more}\n---\n${body}`;
		const file = "/p/.pi/agents/a.md";
		return agentFileOf("/p", { file, result: readAgentFile({ file, content }) }).rights;
	};
	const plain = rightsOf();
	for (const more of ["description: d", "model: m1", "max_turns: 3", "thinking: low"]) {
		expect(rightsOf(more)).toBe(plain);
	}
	expect(rightsOf("", "Other words.")).toBe(plain);
	const others = [
		...["name: b", "extensions: x", "exclude_extensions: x", "skills: x", "subagents: '*'"],
		...["isolated: true", "isolation: worktree", "disallowed_tools: bash"],
	].map((more) => rightsOf(more));
	expect(new Set([plain, ...others]).size).toBe(others.length + 1);
});
