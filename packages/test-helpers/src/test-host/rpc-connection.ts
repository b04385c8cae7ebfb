import { type HostLine, parseLine } from "../host-line.js";
import type { HostExit, HostProcess } from "./host-process.js";

/** A command of the host's RPC protocol, without an id. */
export type RpcCommand = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The host's answer to a command. */
export interface RpcResponse {
	readonly success: boolean;
	readonly data?: unknown;
	readonly error?: string;
}

/** The host's end of the RPC protocol. */
export interface RpcConnection {
	/** Every event so far; live. */
	readonly events: readonly HostLine[];
	/** Sends a command and waits for its response, which may say that it failed. Rejects if the host ends first. */
	send(command: RpcCommand): Promise<RpcResponse>;
	/** Sends something that has no response. */
	tell(message: RpcCommand & { readonly id: string }): void;
	/**
	 * The first event from the index `from` on that the predicate accepts, whether it came or comes.
	 * Rejects if the host ends first.
	 */
	waitFor(predicate: (event: HostLine) => boolean, from?: number): Promise<HostLine>;
	/** Takes a line that the host printed. */
	receive(line: string): void;
}

interface Waiter {
	/** Whether the waiter has what it waits for. */
	readonly take: (line: HostLine) => boolean;
	readonly reject: (error: Error) => void;
}

/** Speaks the host's RPC protocol with a process; the caller passes on the lines that it prints. */
export function rpcConnection(process: () => HostProcess): RpcConnection {
	const events: HostLine[] = [];
	const waiters = new Set<Waiter>();
	let commands = 0;
	let watching = false;
	let over: Error | undefined;

	function wait(
		take: (line: HostLine, resolve: (line: HostLine) => void) => boolean,
	): Promise<HostLine> {
		watchExit();
		if (over) return Promise.reject(over);
		return new Promise((resolve, reject) => {
			waiters.add({ take: (line) => take(line, resolve), reject });
		});
	}

	function watchExit(): void {
		if (watching) return;
		watching = true;
		const fail = (error: Error): void => {
			over = error;
			for (const waiter of waiters) waiter.reject(error);
			waiters.clear();
		};
		process().exited.then((exit) => fail(exitError(exit)), fail);
	}

	return {
		events,
		async send(command) {
			const id = `command-${commands++}`;
			const response = wait((line, resolve) => {
				const mine = line.type === "response" && line.id === id;
				if (mine) resolve(line);
				return mine;
			});
			process().write(JSON.stringify({ ...command, id }));
			const { success, data, error } = await response;
			return {
				success: success === true,
				...(data !== undefined && { data }),
				...(typeof error === "string" && { error }),
			};
		},
		tell(message) {
			process().write(JSON.stringify(message));
		},
		waitFor(predicate, from = 0) {
			const known = events.slice(from).find(predicate);
			if (known) return Promise.resolve(known);
			return wait((line, resolve) => {
				const found = line.type !== "response" && events.length > from && predicate(line);
				if (found) resolve(line);
				return found;
			});
		},
		receive(text) {
			const line = parseLine(text);
			if (!line) return;
			if (line.type !== "response") events.push(line);
			for (const waiter of waiters) if (waiter.take(line)) waiters.delete(waiter);
		},
	};
}

function exitError(exit: HostExit): Error {
	const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
	return new Error(
		`The host ended ${how} before that happened. It said:\n${exit.stderr.slice(-2000)}`,
	);
}
