import type { ModelServer } from "./model-server.js";

/** Prices in US dollars per million tokens. */
const COST = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };

/**
 * The contents of a `models.json` that both hosts read: a provider `mock` that asks the server, with the models `m1`
 * and `m2` (100000 tokens of context), `small` (20000) and `thinker` (100000, with reasoning). A million tokens cost
 * 1 dollar in, 2 out, 0.1 read from and 1.25 written to the cache. Requests say which session they are from.
 */
export function modelsJson(server: Pick<ModelServer, "url">): ModelsJson {
	return {
		providers: {
			mock: {
				baseUrl: server.url,
				api: "openai-completions",
				apiKey: "mock-key",
				compat: {
					supportsDeveloperRole: false,
					supportsReasoningEffort: true,
					sendSessionAffinityHeaders: true,
				},
				models: [
					model("m1", 100_000, 4000),
					model("m2", 100_000, 4000),
					model("small", 20_000, 2000),
					{ ...model("thinker", 100_000, 4000), reasoning: true },
				],
			},
		},
	};
}

/**
 * The contents of a `settings.json` that both hosts read: the model `m1` of {@link modelsJson}, no thinking, nothing
 * that talks to the network, two retries after 50 and 100 milliseconds, and none that the host does not tell about.
 */
export function settingsJson(): SettingsJson {
	return {
		defaultProvider: "mock",
		defaultModel: "m1",
		defaultThinkingLevel: "off",
		quietStartup: true,
		enableInstallTelemetry: false,
		// Higher than any release, so that no change log is shown.
		lastChangelogVersion: "99.0.0",
		retry: { enabled: true, maxRetries: 2, baseDelayMs: 50, provider: { maxRetries: 0 } },
	};
}

/** What {@link modelsJson} returns: plain JSON to write to the agent directory, as it is or changed. */
export interface ModelsJson {
	readonly providers: Readonly<Record<string, ModelsJsonProvider>>;
}

/** One provider in `models.json`. */
export interface ModelsJsonProvider {
	readonly baseUrl: string;
	readonly api: string;
	readonly apiKey: string;
	readonly compat: Readonly<Record<string, boolean>>;
	readonly models: readonly ModelsJsonModel[];
}

/** One model in `models.json`. */
export interface ModelsJsonModel {
	readonly id: string;
	readonly name: string;
	readonly reasoning: boolean;
	readonly input: readonly string[];
	/** Tokens. */
	readonly contextWindow: number;
	/** Tokens of one answer. */
	readonly maxTokens: number;
	readonly cost: typeof COST;
}

/** What {@link settingsJson} returns: plain JSON to write to the agent directory, as it is or changed. */
export interface SettingsJson {
	readonly defaultProvider: string;
	readonly defaultModel: string;
	readonly defaultThinkingLevel: string;
	readonly quietStartup: boolean;
	readonly enableInstallTelemetry: boolean;
	readonly lastChangelogVersion: string;
	readonly retry: {
		readonly enabled: boolean;
		readonly maxRetries: number;
		readonly baseDelayMs: number;
		readonly provider: { readonly maxRetries: number };
	};
}

function model(id: string, contextWindow: number, maxTokens: number): ModelsJsonModel {
	const name = `Mock ${id}`;
	return { id, name, reasoning: false, input: ["text"], contextWindow, maxTokens, cost: COST };
}
