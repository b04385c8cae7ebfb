import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTrace, mockSession, replayTrace } from "@pi-subagents/test-helpers";
import { greet, startHost } from "./start-host.mjs";

await test("the model can greet", async () => {
	const started = await startHost();
	assert.deepEqual(await greet(started), { text: "I greeted her.", result: "Hello, Ada!" });
	await started.close();
});

await test("a recorded session ends each of its turns", () => {
	const session = mockSession();
	const seen = { turn_start: 0, turn_end: 0 };
	session.subscribe(({ type }) => {
		if (type in seen) seen[type]++;
	});
	replayTrace(session, loadTrace("0.73.1", "tools-parallel"));
	assert.equal(seen.turn_end, seen.turn_start);
});
