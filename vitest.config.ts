import { defineConfig } from "vitest/config";

// Found by every package: vitest walks up from the package it runs in.
export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		restoreMocks: true,
		coverage: { include: ["src/**/*.ts"] },
	},
});
