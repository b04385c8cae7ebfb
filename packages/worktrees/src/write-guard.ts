import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { explainError } from "./explain.js";
import { isInside, resolveLinks } from "./files.js";

/** Whether a file may be written. */
export type WriteDecision =
	| {
			readonly allowed: true;
			/** The absolute file, with all links resolved. */
			readonly path: string;
	  }
	| {
			readonly allowed: false;
			/** For the model: which file, why not, and what to do. */
			readonly reason: string;
	  };

/** Decides for one worktree. */
export interface WriteGuard {
	/**
	 * @param path as the tool got it: absolute, relative to `cwd`, with `~`, a leading `@`, or a `file:` URL
	 * @param cwd the directory that the tool works in; the root if left out
	 */
	check(path: string, cwd?: string): Promise<WriteDecision>;
}

/** Options of {@link createWriteGuard}. */
export interface WriteGuardOptions {
	/** @defaultValue the home directory of this user */
	readonly home?: string;
}

/** The spaces that hosts take for a plain one. */
const ODD_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * Keeps the file tools of an agent inside `root`. Links are resolved, so that no link leads out; where a path can be
 * read in more than one way, it has to be inside in every way. A shell command is not seen by it.
 *
 * @param protectedRoots checkouts of which the reason should say that they are not the agent's, and where the file is
 *   in the worktree
 */
export function createWriteGuard(
	root: string,
	protectedRoots: readonly string[],
	options: WriteGuardOptions = {},
): WriteGuard {
	const home = options.home ?? homedir();
	return {
		async check(path, cwd = root) {
			let decision: WriteDecision | undefined;
			try {
				for (const reading of readings(path, cwd, home)) {
					decision = await decide(path, reading, root, protectedRoots);
					if (!decision.allowed) break;
				}
			} catch (error) {
				return { allowed: false, reason: `${path} cannot be checked: ${explainError(error)}.` };
			}
			return decision ?? { allowed: false, reason: "The path is empty." };
		},
	};
}

/** What the path may mean to a tool; the last one is the most usual. */
function readings(path: string, cwd: string, home: string): readonly string[] {
	if (path === "") return [];
	const spaced = path.replace(ODD_SPACES, " ");
	const plain = [path, spaced, path.replace(/^@/, ""), spaced.replace(/^@/, "")];
	return [...new Set(plain.map((text) => resolve(cwd, expand(text, home))))];
}

function expand(path: string, home: string): string {
	if (path === "~") return home;
	if (/^~[/\\]/.test(path)) return join(home, path.slice(2));
	return path.startsWith("file://") ? fileURLToPath(path) : path;
}

async function decide(
	given: string,
	path: string,
	root: string,
	protectedRoots: readonly string[],
): Promise<WriteDecision> {
	const realRoot = await resolveLinks(root);
	const real = await resolveLinks(path);
	const inside = relative(realRoot, real);
	if (isInside(real, realRoot)) {
		if (/^\.git(?:$|[/\\])/i.test(inside)) {
			return {
				allowed: false,
				reason: `${given} belongs to git; change it with git commands only.`,
			};
		}
		return { allowed: true, path: real };
	}
	for (const checkout of protectedRoots) {
		const realCheckout = await resolveLinks(checkout);
		if (!isInside(real, realCheckout)) continue;
		const own = join(root, relative(realCheckout, real));
		const instead = isInside(path, root) ? "" : ` Write to ${own} instead.`;
		return {
			allowed: false,
			reason: `${given} is ${given === real ? "" : `${real}, `}in the main checkout, which this agent must not change.${instead}`,
		};
	}
	const shown = given === real ? given : `${given} (${real})`;
	return {
		allowed: false,
		reason: `${shown} is outside this agent's worktree; it may write below ${root} only.`,
	};
}
