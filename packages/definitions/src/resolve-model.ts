import { quote } from "./diagnostic.js";
import {
	type MatchableModel,
	modelName,
	nearestModels,
	pickFamily,
	pickFuzzy,
} from "./match-models.js";

/** How a model was found. */
export type ModelMatch = "exact" | "inherit" | "alias" | "fuzzy";

/** What {@link resolveModel} needs to know besides the query. */
export interface ModelChoices<M extends MatchableModel> {
	/** The models with working credentials. */
	readonly available: readonly M[];
	/** All models that the host knows; only used to tell "unknown" from "no credentials". */
	readonly known?: readonly M[];
	/** The parent's model: what `inherit` means, and whose provider wins ties. */
	readonly parent?: M | undefined;
}

/** One entry of a model list that gave nothing. */
export interface SkippedModel {
	readonly query: string;
	/** A sentence. */
	readonly reason: string;
}

/** What a model list came to. */
export type ModelResolution<M> =
	| {
			readonly found: true;
			readonly model: M;
			readonly query: string;
			readonly match: ModelMatch;
			/** Entries before the one that was taken; to be told to people. */
			readonly skipped: readonly SkippedModel[];
	  }
	| {
			readonly found: false;
			/** Sentences: why, and what is there instead. */
			readonly message: string;
			readonly skipped: readonly SkippedModel[];
	  };

/** A model as a text, or as an object with provider and id, such as a host's model. */
export type ModelQuery = string | { readonly provider: string; readonly id: string };

/**
 * The first model of an ordered list that there is. Nothing outside the list is ever taken: if no entry resolves, that is
 * an error and not the parent's model, unless the list says `inherit`. An empty list means `inherit`.
 *
 * Each entry is tried in this order:
 *
 * 1. `inherit`: the parent's model.
 * 2. Exact: `provider/id` as a whole, so slashes and colons in ids need no rule. A model without credentials is an error,
 *    never another provider's model of that name.
 * 3. Short: an id, or its last part with or without its `:tag`. If several models have it, the one of the parent's
 *    provider; otherwise it is ambiguous, which is an error that lists them.
 * 4. Alias: `sonnet`, `opus`, `haiku`, as words of an id.
 * 5. Fuzzy: models whose provider, id or name has every word of the query.
 *
 * Ties of 4 and 5 go to the model with, in this order: the parent's provider; the fewest words that were not asked for
 * (`pro`, `mini`); the highest version; no date, or the latest; the lowest price; the first name by alphabet.
 */
export function resolveModel<M extends MatchableModel>(
	queries: ModelQuery | readonly ModelQuery[] | undefined,
	choices: ModelChoices<M>,
): ModelResolution<M> {
	const list = toQueries(queries);
	const skipped: SkippedModel[] = [];
	for (const query of list) {
		const found = resolveOne(query, choices);
		if (typeof found !== "string") return { found: true, query, skipped, ...found };
		skipped.push({ query, reason: found });
	}
	return { found: false, message: skipped.map(({ reason }) => reason).join(" "), skipped };
}

function toQueries(queries: Parameters<typeof resolveModel>[0]): readonly string[] {
	const list = Array.isArray(queries) ? queries : [queries];
	const texts = list.flatMap((query: ModelQuery | undefined) => {
		const text = typeof query === "object" ? modelName(query) : (query ?? "");
		return text.trim() === "" ? [] : [text.trim()];
	});
	return texts.length === 0 ? ["inherit"] : texts;
}

function resolveOne<M extends MatchableModel>(
	query: string,
	choices: ModelChoices<M>,
): { readonly model: M; readonly match: ModelMatch } | string {
	const { parent } = choices;
	const wanted = query.toLowerCase();
	if (wanted === "inherit") {
		return parent
			? { model: parent, match: "inherit" }
			: "There is no model to inherit, because the parent has none.";
	}
	const { available, known = [] } = choices;
	const isFull = (model: M): boolean => modelName(model).toLowerCase() === wanted;
	const exact = available.filter(isFull);
	if (exact.length > 0) return single(query, exact, parent);
	if (known.some(isFull)) return `The model ${quote(query)} has no working credentials.`;
	const short = available.filter((model) => shortNames(model).includes(wanted));
	if (short.length > 0) return single(query, short, parent);
	if (known.some((model) => shortNames(model).includes(wanted))) {
		return `The model ${quote(query)} has no working credentials.`;
	}
	const family = pickFamily(wanted, available, parent);
	if (family) return { model: family, match: "alias" };
	const fuzzy = pickFuzzy(wanted, available, parent);
	if (fuzzy) return { model: fuzzy, match: "fuzzy" };
	const near = nearestModels(query, available);
	const hint = near.length > 0 ? ` Similar are ${near.join(", ")}.` : "";
	return `There is no model ${quote(query)} with working credentials.${hint}`;
}

function single<M extends MatchableModel>(
	query: string,
	models: readonly M[],
	parent: M | undefined,
): { readonly model: M; readonly match: ModelMatch } | string {
	const [only, ...more] = models;
	if (only && more.length === 0) return { model: only, match: "exact" };
	const ofParent = models.filter((model) => model.provider === parent?.provider);
	const [preferred, ...rivals] = ofParent;
	if (preferred && rivals.length === 0) return { model: preferred, match: "exact" };
	const names = models.map((model) => `${model.provider}/${model.id}`).join(" and ");
	return `The model ${quote(query)} is ambiguous: it may be ${names}. Write the provider, too.`;
}

function shortNames({ id }: MatchableModel): readonly string[] {
	const whole = id.toLowerCase();
	const last = whole.slice(whole.lastIndexOf("/") + 1);
	return [whole, last, last.replace(/:.*$/s, "")];
}
