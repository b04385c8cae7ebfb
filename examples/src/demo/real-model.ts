/** The providers that both hosts know and that need nothing but a key, and the variable of that key. */
const KEYS: Readonly<Record<string, string>> = {
	anthropic: "ANTHROPIC_API_KEY",
	cerebras: "CEREBRAS_API_KEY",
	deepseek: "DEEPSEEK_API_KEY",
	fireworks: "FIREWORKS_API_KEY",
	google: "GEMINI_API_KEY",
	groq: "GROQ_API_KEY",
	minimax: "MINIMAX_API_KEY",
	mistral: "MISTRAL_API_KEY",
	openai: "OPENAI_API_KEY",
	openrouter: "OPENROUTER_API_KEY",
	"vercel-ai-gateway": "AI_GATEWAY_API_KEY",
	xai: "XAI_API_KEY",
	zai: "ZAI_API_KEY",
};

/** How to reach the network, where that is not direct. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"];

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that pi needs for a model, taken from `environment`, or a sentence that says which one is missing. */
export function modelEnvironment(
	model: string,
	environment: Environment,
): { readonly env: Readonly<Record<string, string>> } | { readonly problem: string } {
	const provider = model.slice(0, model.indexOf("/"));
	const variable = KEYS[provider];
	if (variable === undefined) {
		const known = Object.keys(KEYS).join(", ");
		return { problem: `The provider "${provider}" is unknown to the demo; it knows ${known}.` };
	}
	if (!environment[variable]) {
		return {
			problem: `The model ${model} needs a key of ${provider}; set ${variable} in the environment.`,
		};
	}
	const names = [variable, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase())];
	const entries = names.flatMap((name) => {
		const value = environment[name];
		return value === undefined ? [] : [[name, value]];
	});
	return { env: Object.fromEntries(entries) };
}
