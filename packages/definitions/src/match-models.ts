import { nearestNames } from "./nearest-names.js";

/** What the matching needs to know about a model; the hosts' models fit. */
export interface MatchableModel {
	readonly provider: string;
	readonly id: string;
	/** For people. */
	readonly name?: string | undefined;
	/** US dollars per million tokens. */
	readonly cost?: { readonly input?: number; readonly output?: number } | undefined;
}

/** `provider/id`, the one form that always means one model. */
export function modelName({ provider, id }: Pick<MatchableModel, "provider" | "id">): string {
	return `${provider}/${id}`;
}

const FAMILIES: readonly string[] = ["sonnet", "opus", "haiku"];
const DATE = /^(?:\d{6}|\d{8})$/;
/** Words that do not make a model another one than asked for. */
const NEUTRAL: ReadonlySet<string> = new Set([
	"latest",
	"model",
	"models",
	"v1",
	"claude",
	"anthropic",
]);

/** The best model of a family that is known by one word. */
export function pickFamily<M extends MatchableModel>(
	alias: string,
	models: readonly M[],
	parent: M | undefined,
): M | undefined {
	if (!FAMILIES.includes(alias)) return undefined;
	const family = models.filter(({ id }) => wordsOf(id).includes(alias));
	return best([alias], family, parent);
}

/** The best model that has every word of the query; if the query names a provider, only that provider's. */
export function pickFuzzy<M extends MatchableModel>(
	query: string,
	models: readonly M[],
	parent: M | undefined,
): M | undefined {
	const provider = models.find((model) =>
		query.startsWith(`${model.provider.toLowerCase()}/`),
	)?.provider;
	const words = wordsOf(provider === undefined ? query : query.slice(provider.length + 1));
	if (words.length === 0) return undefined;
	const fitting = models.filter((model) => {
		if (provider !== undefined && model.provider !== provider) return false;
		const own = [...wordsOf(modelName(model)), ...wordsOf(model.name ?? "")];
		return words.every(
			(word) =>
				own.includes(word) || (word.length >= 3 && own.some((other) => other.startsWith(word))),
		);
	});
	return best(words, fitting, parent);
}

/** Models that may have been meant, as `provider/id`. */
export function nearestModels(query: string, models: readonly MatchableModel[]): readonly string[] {
	const ids = models.map(({ id }) => id.slice(id.lastIndexOf("/") + 1));
	const near = [...nearestNames(query, models.map(modelName)), ...nearestNames(query, ids)];
	const names = near.map((name) => {
		const index = ids.indexOf(name);
		const model = index === -1 ? undefined : models[index];
		return model ? modelName(model) : name;
	});
	return [...new Set(names)].slice(0, 3);
}

function best<M extends MatchableModel>(
	asked: readonly string[],
	models: readonly M[],
	parent: M | undefined,
): M | undefined {
	const ranked = models.map((model) => ({ model, rank: rankOf(asked, model, parent) }));
	ranked.sort(
		(a, b) => compareLists(a.rank.numbers, b.rank.numbers) || (a.rank.name < b.rank.name ? -1 : 1),
	);
	return ranked[0]?.model;
}

/** Lower is better, in the order that {@link resolveModel} promises. */
function rankOf<M extends MatchableModel>(
	asked: readonly string[],
	model: M,
	parent: M | undefined,
): { readonly numbers: readonly number[]; readonly name: string } {
	const words = wordsOf(model.id.slice(model.id.lastIndexOf("/") + 1));
	const version = words.filter((word) => /^\d{1,3}$/.test(word)).map(Number);
	const date = words.find((word) => DATE.test(word));
	// Who asks for a number asks for a version, and then another number is another version.
	const exactVersion = asked.some((word) => /^\d{1,3}$/.test(word));
	const extra = words.filter(
		(word) =>
			!asked.includes(word) &&
			!NEUTRAL.has(word) &&
			!DATE.test(word) &&
			(exactVersion || !/^\d+$/.test(word)),
	).length;
	const [major = 0, minor = 0, patch = 0] = version;
	const price = model.cost ? (model.cost.input ?? 0) + (model.cost.output ?? 0) : Number.MAX_VALUE;
	return {
		numbers: [
			model.provider === parent?.provider ? 0 : 1,
			extra,
			-major,
			-minor,
			-patch,
			date === undefined ? 0 : 1,
			-Number(date ?? 0),
			price,
		],
		name: modelName(model),
	};
}

function compareLists(a: readonly number[], b: readonly number[]): number {
	for (const [index, value] of a.entries()) {
		const difference = value - (b[index] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}

function wordsOf(text: string): readonly string[] {
	return text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== "");
}
