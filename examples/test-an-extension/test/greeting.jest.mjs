import { createTestRecord, fakeClock } from "@pi-subagents/test-helpers";
import { greet, startHost } from "./start-host.mjs";

test("the model can greet", async () => {
	const started = await startHost();
	expect(await greet(started)).toEqual({ text: "I greeted her.", result: "Hello, Ada!" });
	await started.close();
}, 60_000);

test("time passes when it is told to", async () => {
	const clock = fakeClock();
	const record = createTestRecord({ status: "running" });
	clock.setTimeout(() => record.addTurn(), 1000);
	await clock.advance(1000);
	expect(record.turnCount).toBe(createTestRecord().turnCount + 1);
});
