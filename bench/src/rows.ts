import type { Row } from "./result.js";

/** Loads a row. Each has a process of its own and shall find nothing there that only another one needs. */
type LoadRow = () => Promise<Row>;

/** All benchmarks by name, in the order in which they run. */
export const rows: ReadonlyMap<string, LoadRow> = new Map<string, LoadRow>([
	["size", async () => (await import("./rows/size.js")).measureSize],
	["import", async () => (await import("./rows/import.js")).measureImport],
	["tokens", async () => (await import("./rows/tokens.js")).measureTokens],
	["start", async () => (await import("./rows/start.js")).measureStart],
	["foreground", async () => (await import("./rows/foreground.js")).measureForeground],
	["spawn", async () => (await import("./rows/spawn.js")).measureSpawn],
	["background", async () => (await import("./rows/background.js")).measureBackground],
	["idle", async () => (await import("./rows/idle.js")).measureIdle],
	["manager", async () => (await import("./rows/manager.js")).measureManager],
	["queue", async () => (await import("./rows/manager.js")).measureQueue],
	["memory", async () => (await import("./rows/memory.js")).measureMemory],
	["observers", async () => (await import("./rows/observers.js")).measureObservers],
	["widget", async () => (await import("./rows/widget.js")).measureWidget],
	["definitions", async () => (await import("./rows/definitions.js")).measureDefinitions],
]);
