import type { RpcTestHost } from "@pi-subagents/test-helpers";
import type { Delegation, Happening } from "./demo-agent.js";
import { member } from "./json.js";
import { watchDelegation } from "./watch-delegation.js";

/** How the demonstration is run. */
export interface DelegationOptions {
	readonly prompt: string;
	/** Milliseconds without any news after which it is given up. */
	readonly patience: number;
	readonly tell: (happening: Happening) => void;
}

const LOOK_MS = 100;

/** Gives the prompt to pi and watches until the parent rests and knows how all of its agents ended, or nothing happens. */
export async function runDelegation(
	host: RpcTestHost,
	{ prompt, patience, tell }: DelegationOptions,
): Promise<Delegation> {
	let lastNews = Date.now();
	const watch = watchDelegation((happening) => {
		lastNews = Date.now();
		tell(happening);
	});
	const looking = setInterval(() => watch.look(), LOOK_MS);
	try {
		const response = await host.send({ type: "prompt", message: prompt });
		if (!response.success) throw new Error(`pi refuses the prompt: ${response.error}`);
		for (let seen = 0; ; ) {
			for (const event of host.events.slice(seen)) watch.take(event);
			seen = host.events.length;
			if (watch.isOver && (await isIdle(host)) && host.events.length === seen) {
				return watch.delegation;
			}
			if (Date.now() - lastNews > patience) return givenUp(watch.delegation, patience);
			await nextEvent(host, seen);
		}
	} finally {
		clearInterval(looking);
	}
}

async function isIdle(host: RpcTestHost): Promise<boolean> {
	const { data } = await host.send({ type: "get_state" });
	return member(data, "isStreaming") === false;
}

/** Resolves with the next event, or after a second without one; rejects if pi ends. */
async function nextEvent(host: RpcTestHost, seen: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const second = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, 1000);
	});
	try {
		await Promise.race([host.waitFor(() => true, seen), second]);
	} finally {
		clearTimeout(timer);
	}
}

function givenUp(delegation: Delegation, patience: number): Delegation {
	const problem = `Nothing has happened for ${patience / 1000} s, so the demo gave up.`;
	return { ...delegation, problems: [...delegation.problems, problem] };
}
