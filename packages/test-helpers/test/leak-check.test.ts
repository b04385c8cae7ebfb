import { createServer } from "node:net";
import { expect, test } from "vitest";
import { leakCheck } from "../src/index.js";

test("a timer that keeps the process alive is a leak until it is cleared", async () => {
	const leaks = leakCheck();
	const timer = setTimeout(() => undefined, 60_000);
	expect(await leaks.check()).toEqual({ Timeout: 1 });
	clearTimeout(timer);
	expect(await leaks.check()).toEqual({});
});

test("a timer that does not keep the process alive is none", async () => {
	const leaks = leakCheck();
	const timer = setTimeout(() => undefined, 60_000).unref();
	expect(await leaks.check()).toEqual({});
	clearTimeout(timer);
});

test("a handle that is being closed is none", async () => {
	const leaks = leakCheck();
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	expect(await leaks.check()).toEqual({ TCPServerWrap: 1 });
	server.close();
	expect(await leaks.check()).toEqual({});
});
