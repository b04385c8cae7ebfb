import { leakCheck } from "@pi-subagents/test-helpers";
import { expect, test } from "vitest";
import { greet, startHost } from "./start-host.mjs";

test("the model can greet, and nothing is left behind", { timeout: 60_000 }, async () => {
	const leaks = leakCheck();
	const started = await startHost();
	expect(await greet(started)).toEqual({ text: "I greeted her.", result: "Hello, Ada!" });
	await started.close();
	expect(await leaks.check()).toEqual({});
});
