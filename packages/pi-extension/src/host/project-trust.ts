import * as codingAgent from "@mariozechner/pi-coding-agent";
import { type ExtensionContext, SettingsManager } from "@mariozechner/pi-coding-agent";
import { isProjectTrusted } from "./host-mode.js";

/** What the host says of a project; `undecided` if nobody was asked and nothing was set. */
export type HostTrust = "trusted" | "untrusted" | "undecided";

/** The exports that only pi 1.x has. */
interface CurrentHost {
	hasTrustRequiringProjectResources?(cwd: string): boolean;
	readonly ProjectTrustStore?: new (agentDir: string) => { get(cwd: string): boolean | null };
}

/** The member of the settings that only pi 1.x has. */
interface CurrentSettings {
	getDefaultProjectTrust?(): "ask" | "always" | "never";
}

/**
 * Whether the host decided about a project. pi 1.x trusts every project that has nothing of what it asks about, and agent
 * files are nothing of that; so its word counts only if it had a reason to decide, or if the person said so in advance:
 * with `--approve`, `/trust` or `defaultProjectTrust`. 0.73.1 never decides.
 */
export function hostTrust(
	ctx: ExtensionContext,
	agentDir: string,
	commandLine: readonly string[] = process.argv,
): HostTrust {
	if (!isProjectTrusted(ctx)) return "untrusted";
	const host: object = codingAgent;
	const { hasTrustRequiringProjectResources: wasAsked, ProjectTrustStore: Store }: CurrentHost =
		host;
	if (wasAsked === undefined || Store === undefined) return "undecided";
	if (commandLine.includes("--approve") || commandLine.includes("-a")) return "trusted";
	if (wasAsked(ctx.cwd)) return "trusted";
	try {
		if (new Store(agentDir).get(ctx.cwd) === true) return "trusted";
	} catch {
		// A file that cannot be read, or is locked, says nothing.
	}
	const manager: object = SettingsManager.create(ctx.cwd, agentDir);
	const settings: CurrentSettings = manager;
	switch (settings.getDefaultProjectTrust?.()) {
		case "always":
			return "trusted";
		case "never":
			return "untrusted";
		default:
			return "undecided";
	}
}
