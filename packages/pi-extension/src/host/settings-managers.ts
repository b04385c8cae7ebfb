import { statSync } from "node:fs";
import { join } from "node:path";
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

/** Reads the settings of the user and of the project in `cwd`, as the host reads them. */
export type SettingsReader = (cwd: string, agentDir: string, trust: TrustOption) => SettingsManager;

/**
 * A reader that keeps what it read last while the files are as they were. The host takes a lock on each file, which is an
 * eighth of what the start of a child costs, and many children are started in the same directory.
 */
export function createSettingsReader(): SettingsReader {
	let last: { readonly key: string; readonly settings: SettingsManager } | undefined;
	return (cwd, agentDir, trust) => {
		const files = [join(agentDir, "settings.json"), join(cwd, ".pi", "settings.json")];
		const key = JSON.stringify([files, files.map(fileState), trust.projectTrusted]);
		if (last?.key !== key) last = { key, settings: readSettings(cwd, agentDir, trust) };
		return last.settings;
	};
}

function fileState(file: string): readonly number[] {
	const { mtimeMs = 0, size = -1 } = statSync(file, { throwIfNoEntry: false }) ?? {};
	return [mtimeMs, size];
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
