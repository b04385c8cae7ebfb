import type { TestProject } from "vitest/node";
import { packExtension } from "../src/index.js";

declare module "vitest" {
	interface ProvidedContext {
		/** The folder of the extension as a user would have installed it. */
		readonly extension: string;
	}
}

/** Packs and installs the extension once for all tests; vitest calls what it returns when they are over. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const packed = await packExtension();
	project.provide("extension", packed.path);
	return packed.remove;
}
