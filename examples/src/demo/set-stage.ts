import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { currentHost, type HostName, packExtension, releasedHost } from "@pi-subagents/e2e";
import {
	type ModelServer,
	startModelServer,
	type TestHostOptions,
} from "@pi-subagents/test-helpers";
import type { Cleanup } from "./cleanup.js";
import { type ScriptedModelOptions, scriptedModel } from "./scripted-model.js";

/** What to demonstrate, and with what. */
export interface StageOptions {
	readonly host: HostName;
	/** `provider/id`; absent: the scripted model. */
	readonly model: string | undefined;
	/** The variables that a real model needs. */
	readonly env: Readonly<Record<string, string>>;
	readonly script: Pick<ScriptedModelOptions, "plan" | "pace">;
	/** A step that takes a moment begins. */
	readonly onStep: (step: string) => void;
}

/** Everything that pi needs to be started with the extension installed, in the project's own folder. */
export type Stage = Omit<TestHostOptions, "mode"> & {
	/** For example `pi 0.73.1 on Node v20.20.2, with a scripted model`. */
	readonly title: string;
};

/** The folder of the project; this module is in `examples/dist/demo`. */
const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

const STEERED = "steered";

/** Packs the extension and starts the scripted model; what is made is given to `cleanup`. */
export async function setStage(options: StageOptions, cleanup: Cleanup): Promise<Stage> {
	const { model, env, onStep } = options;
	if (options.host === "current")
		onStep("Installing pi 1.6.0 and a Node for it, if they are not there");
	const host = options.host === "current" ? await currentHost() : releasedHost();
	onStep("Packing the extension");
	const packed = await cleanup.keep(packExtension(), ({ remove }) => remove());
	const server = await cleanup.keep(scriptedServer(options.script), (each) => each.close());
	const { stdout } = await promisify(execFile)(host.node, ["--version"]);
	return {
		title: `pi ${host.version} on Node ${stdout.trim()}, with ${model ?? "a scripted model"}`,
		cli: host.cli,
		node: host.node,
		cwd: PROJECT,
		packages: [packed.path],
		server,
		env,
		...(model !== undefined && { args: ["--model", model] }),
	};
}

/** The file of an extension that the demo adds to pi. */
export function ownExtension(name: "forward-events" | "prefill-editor"): string {
	return join(import.meta.dirname, `${name}.js`);
}

async function scriptedServer(script: StageOptions["script"]): Promise<ModelServer> {
	const answer = scriptedModel({
		...script,
		gate: STEERED,
		openGate: () => server.release(STEERED),
	});
	const server = await startModelServer({ strict: true, defaultAnswer: answer });
	return server;
}
