import { SettingsManager } from "@mariozechner/pi-coding-agent";

/** What only pi 1.x asks for. */
interface TrustOption {
	/** Whether the settings of the project count. 0.73.1 takes no such option: there they always do. */
	readonly projectTrusted: boolean;
}

/** The settings of the user and of the project in `cwd`, as the host reads them. */
export function readSettings(cwd: string, agentDir: string, trust: TrustOption): SettingsManager {
	const create: (cwd: string, agentDir: string, trust: TrustOption) => SettingsManager =
		SettingsManager.create;
	return create(cwd, agentDir, trust);
}

/** Settings that are in no file, and are written to none. */
export function settingsInMemory(values: object, trust: TrustOption): SettingsManager {
	const create: (values: object, trust: TrustOption) => SettingsManager = SettingsManager.inMemory;
	return create(values, trust);
}
