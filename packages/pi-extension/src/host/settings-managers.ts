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

/** A copy of settings as they are now. What is changed in it is written to no file, and to read it again costs nothing. */
export function copySettings(stored: SettingsManager, trust: TrustOption): SettingsManager {
	const texts: Record<Scope, string | undefined> = {
		global: JSON.stringify(stored.getGlobalSettings()),
		project: JSON.stringify(stored.getProjectSettings()),
	};
	const storage: Storage = {
		withLock(scope, change) {
			texts[scope] = change(texts[scope]) ?? texts[scope];
		},
	};
	const create: (storage: Storage, trust: TrustOption) => SettingsManager =
		SettingsManager.fromStorage;
	return create(storage, trust);
}

type Storage = Parameters<typeof SettingsManager.fromStorage>[0];
type Scope = Parameters<Storage["withLock"]>[0];
