import { type HostEvent, messageText, toSessionEvent } from "@pi-subagents/core";
import type { HostLine } from "../host-line.js";
import { type HostDirectories, removeHostDirectories } from "./host-directories.js";
import {
	endHostProcess,
	type HostCommand,
	type HostExit,
	type HostProcess,
	startHostProcess,
} from "./host-process.js";
import {
	type RpcCommand,
	type RpcConnection,
	type RpcResponse,
	rpcConnection,
} from "./rpc-connection.js";
import { runSettled, untilIdle } from "./settled.js";

/** A host that runs and is spoken to. */
export interface RpcTestHost extends Omit<RpcConnection, "receive" | "tell"> {
	readonly directories: HostDirectories;
	/**
	 * Prompts the agent and waits until the run is over for good. Rejects if the host refuses the prompt. Give slash
	 * commands to `send`: 0.73.1 does not say that it will not start a run for them.
	 */
	prompt(text: string): Promise<PromptResult>;
	/** Answers a dialog that an extension opened; `request` is its `extension_ui_request` event. */
	respond(request: HostLine, answer: DialogAnswer): void;
	/** Aborts what is going on. */
	abort(): Promise<RpcResponse>;
	/** Ends the input of the host, at which it exits by itself, and waits for that. */
	close(): Promise<HostExit>;
	/** Sends a signal and waits for the exit. */
	kill(signal?: NodeJS.Signals): Promise<HostExit>;
	/** Closes the host and starts it again in the same directories; events start anew. */
	restart(args?: readonly string[]): Promise<void>;
	/** Kills what still runs and removes the directories. */
	dispose(): Promise<void>;
}

/** What happened from a prompt to the end of its run. */
export interface PromptResult {
	readonly events: readonly HostLine[];
	/** The text of the last assistant message. */
	readonly text: string;
}

/** The answer to a dialog: what was chosen or written, yes or no, or nothing. */
export type DialogAnswer =
	| { readonly value: string }
	| { readonly confirmed: boolean }
	| { readonly cancelled: true };

/** Starts a host in RPC mode. */
export function rpcHost(options: HostCommand, directories: HostDirectories): RpcTestHost {
	let { connection, host } = start();

	function start(args: readonly string[] = []): { connection: RpcConnection; host: HostProcess } {
		const started: HostProcess = startHostProcess(
			options,
			directories,
			["--mode", "rpc", ...args],
			"open",
			(line) => opened.receive(line),
		);
		const opened = rpcConnection(() => started);
		// Who waits for something learns of a failed start; no one has to.
		started.exited.catch(() => undefined);
		return { connection: opened, host: started };
	}

	return {
		directories,
		get events() {
			return connection.events;
		},
		send: (command: RpcCommand) => connection.send(command),
		waitFor: (predicate, from) => connection.waitFor(predicate, from),
		async prompt(text) {
			const { from, response } = await promptWhenIdle(connection, text);
			if (!response.success) throw new Error(`The host refused the prompt: ${response.error}`);
			if (!startsNoRun(response)) await runSettled(connection, from);
			const events = connection.events.slice(from);
			return { events, text: lastText(events) };
		},
		respond(request, answer) {
			if (typeof request.id !== "string")
				throw new Error("The event is not a request; it has no id.");
			connection.tell({ type: "extension_ui_response", id: request.id, ...answer });
		},
		abort: () => connection.send({ type: "abort" }),
		close() {
			host.end();
			return host.exited;
		},
		kill(signal = "SIGTERM") {
			host.kill(signal);
			return host.exited;
		},
		async restart(args) {
			host.end();
			await host.exited;
			({ connection, host } = start(args));
		},
		async dispose() {
			await endHostProcess(host);
			await removeHostDirectories(directories);
		},
	};
}

/** How often a prompt is sent again that the host refused because a run was going on. */
const PROMPTS = 5;

/** An extension may have started a run of its own a moment ago; a client waits for its end and prompts again. */
async function promptWhenIdle(
	connection: RpcConnection,
	text: string,
): Promise<{ readonly from: number; readonly response: RpcResponse }> {
	for (let attempt = 1; ; attempt++) {
		const from = connection.events.length;
		const response = await connection.send({ type: "prompt", message: text });
		const busy = response.error?.includes("already processing") ?? false;
		if (response.success || !busy || attempt === PROMPTS) return { from, response };
		await untilIdle(connection);
	}
}

/** Only 1.6.0 says it. */
function startsNoRun({ data }: RpcResponse): boolean {
	return (
		typeof data === "object" &&
		data !== null &&
		"disposition" in data &&
		data.disposition === "handled"
	);
}

function lastText(events: readonly HostEvent[]): string {
	const last = events
		.map(toSessionEvent)
		.findLast((event) => event?.type === "message_end" && event.message.role === "assistant");
	return last?.type === "message_end" ? messageText(last.message) : "";
}
