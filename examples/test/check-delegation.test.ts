import { describe, expect, test } from "vitest";
import { checkDelegation } from "../src/demo/check-delegation.js";
import type { AgentEnd, Delegation, DemoAgent } from "../src/demo/demo-agent.js";
import { STEERING } from "../src/demo/tasks.js";

const END: AgentEnd = {
	status: "completed",
	text: "Done.",
	turns: 2,
	toolUses: 3,
	tokens: 100,
	cost: 0.01,
	duration: 1000,
};

function agent(overrides: Partial<DemoAgent> = {}): DemoAgent {
	const who = { id: "a1", type: "Explore", description: "Look" };
	return { ...who, background: true, messages: [], end: END, told: 1, ...overrides };
}

function delegation(overrides: Partial<Delegation> = {}): Delegation {
	const agents = [agent({ background: false }), agent(), agent({ messages: [STEERING] })];
	return { agents, atOnce: 2, notifications: 1, answer: "", problems: [], ...overrides };
}

/** The delegation with its second agent changed. */
function withSecond(overrides: Partial<DemoAgent>): Delegation {
	const [first = agent(), , third = agent()] = delegation().agents;
	return delegation({ agents: [first, agent(overrides), third] });
}

describe("the demo's check", () => {
	test("finds nothing wrong with what was promised", () => {
		expect(checkDelegation(delegation())).toEqual([]);
	});

	test.each<[string, Delegation, readonly string[]]>([
		[
			"a missing notification",
			withSecond({ told: 0 }),
			['The parent was not told that "Look" ended.'],
		],
		["a repeated one", withSecond({ told: 2 }), ['The parent was told 2 times that "Look" ended.']],
		["an agent without end", withSecond({ end: undefined }), ['The agent "Look" has not ended.']],
		[
			"a failed agent",
			withSecond({ end: { ...END, status: "error", text: "401 no key" } }),
			['The agent "Look" ended as error: 401 no key'],
		],
		[
			"numbers of nothing",
			withSecond({ end: { ...END, tokens: 0, cost: 0 } }),
			['The agent "Look" has no tokens.', 'The agent "Look" has no cost.'],
		],
		[
			"agents one after the other",
			delegation({ atOnce: 1 }),
			["No two agents ran at the same time."],
		],
		[
			"a message that did not arrive",
			delegation({ agents: [agent({ background: false }), agent(), agent()] }),
			["0 agents read the steering message instead of 1."],
		],
		[
			"a model that fails, and of what follows nothing",
			delegation({ agents: [], atOnce: 0, problems: ["The parent's model failed: 401"] }),
			["The parent's model failed: 401"],
		],
	])("tells of %s", (_, broken, problems) => {
		expect(checkDelegation(broken)).toEqual(problems);
	});
});
