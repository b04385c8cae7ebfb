import { foldKey, knownKey } from "./fields.js";
import { foreignField } from "./foreign-fields.js";
import type { Header } from "./header.js";

// Keys of pages, posts and prompt templates, which have a `description`, too.
const DOCUMENT_KEYS: ReadonlySet<string> = new Set([
	"argumenthint",
	"date",
	"lang",
	"layout",
	"navorder",
	"parent",
	"permalink",
	"sidebarlabel",
	"sidebarposition",
	"slug",
	"title",
]);

/** Whether a header is an agent's and not that of any other Markdown file. */
export function isAgentHeader({ fields, doubts }: Pick<Header, "fields" | "doubts">): boolean {
	const isDocument = fields.some(({ key }) => DOCUMENT_KEYS.has(foldKey(key)));
	const isAgent = fields.some(
		({ key, known }) => isAgentKey(key) && !(isDocument && known?.name === "description"),
	);
	return isAgent || doubts.length > 0;
}

/** Whether lines that cannot be read as a header were probably meant as an agent's. */
export function looksLikeHeader(lines: readonly string[]): boolean {
	return lines
		.slice(0, 50)
		.flatMap((line) => line.slice(0, 400).split(/[{,]/))
		.some((part) => {
			const key = /^[\s-]*["']?([A-Za-z][\w -]{0,40}?)["']?\s*:/.exec(part)?.[1];
			return key !== undefined && isAgentKey(key);
		});
}

function isAgentKey(key: string): boolean {
	return knownKey(key) !== undefined || foreignField(key)?.instead !== undefined;
}
