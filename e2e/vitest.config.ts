import { mergeConfig } from "vitest/config";
// @boundaries-ignore what all packages share
import shared from "../vitest.config.js";

export default mergeConfig(shared, {
	test: {
		globalSetup: ["test/packed-extension.ts"],
		// Each worker has a host and its model server beside it.
		maxWorkers: 2,
	},
});
