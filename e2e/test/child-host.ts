import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type BatchTestHost,
	createTestHost,
	type HostExit,
	type ModelRequest,
	type ModelServer,
	type RpcTestHost,
	startModelServer,
	type TestHostOptions,
} from "@pi-subagents/test-helpers";
import { afterAll, beforeAll, describe, expect, inject, onTestFailed, test } from "vitest";
import { currentHost, type Host, type HostName, releasedHost } from "../dist/index.js";

/** What the tests of one host share. */
export interface ChildWorld {
	readonly host: Host;
	readonly server: ModelServer;
	/**
	 * A new session, with these members of `subagents.json`, in the one host that tests share, because a start takes
	 * seconds.
	 */
	session(subagents?: Readonly<Record<string, unknown>>): Promise<RpcTestHost>;
	/** Starts the host with the packed extension, and with others, given by their source. */
	rpc(options?: WorldOptions): Promise<RpcTestHost>;
	print(options?: WorldOptions): Promise<BatchTestHost>;
	json(options?: WorldOptions): Promise<BatchTestHost>;
}

/** A world that was opened. */
interface OpenWorld extends ChildWorld {
	/** Closes the shared host, if it was started. */
	close(): Promise<HostExit | undefined>;
}

/** How a host of the world is started. */
export interface WorldOptions
	extends Partial<Omit<TestHostOptions, "mode" | "server" | "cli" | "node" | "extensions">> {
	/** The sources of other extensions, by file name. */
	readonly others?: Readonly<Record<string, string>>;
	/** The members of `subagents.json`. */
	readonly subagents?: Readonly<Record<string, unknown>>;
}

/**
 * Runs the same tests on both hosts, each with a model server of its own that refuses what providers refuse. `shared` is
 * how the host of `session()` is started.
 */
export function onBothHosts(
	title: string,
	tests: (world: ChildWorld, name: HostName) => void,
	shared: WorldOptions = {},
): void {
	describe.each<HostName>(["released", "current"])(`${title} (%s host)`, (name) => {
		const opened: Array<{ dispose(): Promise<void> }> = [];
		let folder = "";
		let world: OpenWorld | undefined;

		beforeAll(async () => {
			const host = name === "released" ? releasedHost() : await currentHost();
			const server = await startModelServer({ strict: true });
			folder = await mkdtemp(join(tmpdir(), "pi-subagents-child-"));
			let common: RpcTestHost | undefined;
			const start = async (options: WorldOptions): Promise<Omit<TestHostOptions, "mode">> => {
				const { others = {}, subagents, args = [], ...rest } = options;
				const extensions = [inject("extension")];
				const own = await mkdtemp(join(folder, "others-"));
				for (const [file, source] of Object.entries(others)) {
					await writeFile(join(own, file), source);
					extensions.push(join(own, file));
				}
				return {
					...rest,
					server,
					cli: host.cli,
					node: host.node,
					extensions,
					args: [...args],
					agentDirFiles: {
						...rest.agentDirFiles,
						...(subagents && { "subagents.json": JSON.stringify(subagents) }),
					},
				};
			};
			const batch = async (options: WorldOptions, mode: "print" | "json") => {
				const made = await createTestHost({ ...(await start(options)), mode });
				opened.push(made);
				return made;
			};
			world = {
				host,
				server,
				close: async () => common?.close(),
				async session(subagents = {}) {
					common ??= await this.rpc(shared);
					// What a failed test left must not make others fail.
					onTestFailed(() => {
						common = undefined;
					});
					const file = join(common.directories.agentDir, "subagents.json");
					await writeFile(file, JSON.stringify(subagents));
					await common.send({ type: "new_session" });
					return common;
				},
				async rpc(options = {}) {
					const started = await createTestHost({ ...(await start(options)), mode: "rpc" });
					opened.push(started);
					return started;
				},
				print: (options = {}) => batch(options, "print"),
				json: (options = {}) => batch(options, "json"),
			};
		});
		afterAll(async () => {
			await Promise.all(opened.map((each) => each.dispose()));
			await world?.server.close();
			await rm(folder, { recursive: true, force: true });
		});

		const lazy: ChildWorld = {
			get host() {
				return present(world).host;
			},
			get server() {
				return present(world).server;
			},
			session: (subagents) => present(world).session(subagents),
			rpc: (options) => present(world).rpc(options),
			print: (options) => present(world).print(options),
			json: (options) => present(world).json(options),
		};
		tests(lazy, name);

		test("the shared host ends with code 0 and said nothing on stderr", async () => {
			const exit = await present(world).close();
			expect(exit ?? { code: 0, stderr: "" }).toMatchObject({ code: 0, stderr: "" });
		});

		test("no history was sent that a provider refuses", () => {
			const refused = lazy.server.requests.filter(
				({ status, step }) => status === 400 && step === undefined,
			);
			expect(refused.map(({ messages }) => messages)).toEqual([]);
		});
	});
}

function present<T>(value: T | undefined): T {
	if (value === undefined) throw new Error("The world is not there yet.");
	return value;
}

/** A step of the scripted model that calls `subagent`. */
export function delegate(
	prompt: string,
	args: Readonly<Record<string, unknown>> = {},
): { readonly name: "subagent"; readonly args: object } {
	const { subagent_type = "general-purpose", description = "a task", ...rest } = args;
	return { name: "subagent", args: { prompt, description, subagent_type, ...rest } };
}

/** The text of a script for a prompt. */
export function script(...steps: readonly object[]): string {
	return `@@${JSON.stringify(steps)}@@`;
}

/** The requests of conversations whose first user message begins with a text. */
export function requestsOf(server: ModelServer, text: string): readonly ModelRequest[] {
	return server.requests.filter((request) => firstUserText(request).startsWith(text));
}

/** The text of the first user message. */
function firstUserText(request: ModelRequest): string {
	return contentText(request.messages.find((message) => message.role === "user")?.content);
}

/** What the results of tools say, in their order. */
export function toolResults(request: ModelRequest | undefined): readonly string[] {
	return (request?.messages ?? [])
		.filter((message) => message.role === "tool")
		.map((message) => contentText(message.content));
}

function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) =>
			typeof part === "object" && part !== null && "text" in part ? String(part.text) : "",
		)
		.join("\n");
}

/** The lines of JSON that extensions wrote into the files of a folder whose names begin so. */
export async function readLog(folder: string, prefix: string): Promise<readonly LogLine[]> {
	const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
	const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
	return texts
		.flatMap((text) => text.split("\n"))
		.filter((line) => line !== "")
		.map((line): LogLine => JSON.parse(line));
}

/** One line of such a log. */
export type LogLine = Readonly<Record<string, unknown>>;
