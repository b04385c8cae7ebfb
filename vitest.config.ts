import { defineConfig } from "vitest/config";

// Found by every package: vitest walks up from the package it runs in.
export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		restoreMocks: true,
		// A bound against hangs, not a measure: machines are slow and busy.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		coverage: { include: ["src/**/*.ts"] },
	},
});
