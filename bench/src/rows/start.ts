import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentHost } from "@pi-subagents/e2e";
import { createTestHost } from "@pi-subagents/test-helpers";
import { compare } from "../compare.js";
import { withHostBench } from "../host.js";
import type { Row } from "../result.js";

/** How much longer the current host takes until it is ready for the first prompt. */
export const measureStart: Row = () =>
	withHostBench(async ({ server, extension }) => {
		const { cli, node, version } = await currentHost();
		// The host keeps what it compiled in the temporary directory.
		const TMPDIR = await mkdtemp(join(tmpdir(), "pi-bench-start-"));
		const start = async (extensions: readonly string[]) => {
			const options = { mode: "rpc", cli, node, extensions, server, env: { TMPDIR } } as const;
			const start = performance.now();
			const host = await createTestHost(options);
			try {
				// Answered when everything is loaded.
				const { success } = await host.send({ type: "get_state" });
				if (!success) throw new Error("The host did not start.");
				return { wall: performance.now() - start };
			} finally {
				await host.dispose();
			}
		};
		const alone = () => start([]);
		const warm = () => start([extension]);
		// What any extension costs, because the host then loads what loads extensions.
		const empty = join(TMPDIR, "empty.ts");
		await writeFile(empty, "export default function nothing(): void {}\n");
		const cold = async () => {
			await rm(join(TMPDIR, "jiti"), { recursive: true, force: true });
			return warm();
		};
		try {
			const warmStart = await compare({
				baseline: alone,
				ours: warm,
				limits: { wall: 1.05 },
				leastRounds: 15,
				mostRounds: 45,
			});
			const emptyStart = await compare({ baseline: alone, ours: () => start([empty]) });
			const coldStart = await compare({ baseline: alone, ours: cold, limits: { wall: 2 } });
			return [
				{
					what: `${version}: warm start with the extension, against pi alone`,
					unit: "ms",
					...warmStart.wall,
					limit: { of: "ratio", most: 1.05 },
				},
				{
					what: `${version}: warm start with an extension that does nothing`,
					unit: "ms",
					...emptyStart.wall,
				},
				{
					what: `${version}: cold start with the extension, against pi alone`,
					unit: "ms",
					...coldStart.wall,
					limit: { of: "ratio", most: 2 },
				},
			];
		} finally {
			await rm(TMPDIR, { recursive: true, force: true });
		}
	});
