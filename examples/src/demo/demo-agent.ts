import type { Spoken } from "./conversation.js";

/** What the demo has seen of one agent. */
export interface DemoAgent {
	readonly id: string;
	readonly type: string;
	readonly description: string;
	/** What the call that started it said. */
	background: boolean;
	/** Messages that it has read besides its task. */
	readonly messages: string[];
	end: AgentEnd | undefined;
	/** How often the parent was told of its end: by the result of the call, or by a notification. */
	told: number;
}

/** How it ended, as the extension tells other extensions. */
export interface AgentEnd {
	readonly status: string;
	/** Its report, or what went wrong. */
	readonly text: string;
	readonly turns: number;
	readonly toolUses: number;
	/** input + output + cacheWrite */
	readonly tokens: number;
	/** US dollars. */
	readonly cost: number;
	/** Milliseconds. */
	readonly duration: number;
}

/** What has happened with the parent and its agents. */
export interface Delegation {
	/** In the order of their creation. */
	readonly agents: readonly DemoAgent[];
	/** The most agents that were alive at the same time. */
	readonly atOnce: number;
	/** How many notifications the parent got. */
	readonly notifications: number;
	/** The parent's last words. */
	readonly answer: string;
	/** What went wrong besides the agents, one sentence each. */
	readonly problems: readonly string[];
}

/** Something that happened, for whoever tells the story. */
export type Happening =
	| { readonly type: "created" | "ended"; readonly agent: DemoAgent }
	/** The parent, if there is no agent, or the agent spoke, called tools, got a result, or read a message. */
	| (Spoken & { readonly agent?: DemoAgent })
	| { readonly type: "told"; readonly agents: readonly DemoAgent[] };
