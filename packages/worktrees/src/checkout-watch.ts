import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { explain } from "./explain.js";
import type { Git } from "./git.js";
import { listSome, shortCommit } from "./names.js";
import { type CheckoutStatus, readStatus } from "./status.js";

/** What a checkout looked like at one moment; compare two with {@link compareCheckout}. */
export interface CheckoutState {
	readonly checkout: string;
	readonly head: string | undefined;
	readonly branch: string | undefined;
	/** The uncommitted files, with what tells one content from another. */
	readonly files: ReadonlyMap<string, string>;
}

/** What happened to a checkout between two moments. */
export interface CheckoutChange {
	/** Files whose content on disk changed and that are not committed, and those whose uncommitted content is gone. */
	readonly files: readonly string[];
	/** The commits before and after, if another one is checked out now. */
	readonly head?: { readonly from: string; readonly to: string };
	/** The branches before and after, if another one is checked out now. */
	readonly branch?: { readonly from: string; readonly to: string };
}

/** Uncommitted files that are looked at one by one; with more, changes to those that were changed before go unseen. */
const MOST_FILES = 5000;

/** Looks at a checkout without touching it. */
export async function readCheckout(
	git: Git,
	checkout: string,
): Promise<{ readonly state?: CheckoutState; readonly problem?: string }> {
	const { status, result } = await readStatus(git, checkout);
	if (!status) return { problem: explain(result) };
	return { state: await toCheckoutState(checkout, status) };
}

/** The state that goes with a status that was just read. */
export async function toCheckoutState(
	checkout: string,
	status: CheckoutStatus,
): Promise<CheckoutState> {
	const paths = [...status.modified, ...status.untracked];
	const files = new Map<string, string>(paths.map((path) => [path, ""]));
	await fingerprintAll(checkout, paths.slice(0, MOST_FILES), files);
	return { checkout, head: status.head, branch: status.branch, files };
}

/** What changed in the checkout from one state to the other, by whomever. */
export async function compareCheckout(
	before: CheckoutState,
	after: CheckoutState,
): Promise<CheckoutChange> {
	const gone = [...before.files.keys()].filter((path) => !after.files.has(path));
	// Committed or reverted meanwhile: the same content is no change.
	const now = new Map<string, string>();
	await fingerprintAll(before.checkout, gone.slice(0, MOST_FILES), now);
	const changed = [...after.files].filter(([path, print]) => before.files.get(path) !== print);
	const lost = gone.filter((path) => before.files.get(path) !== (now.get(path) ?? ""));
	return {
		files: [...changed.map(([path]) => path), ...lost].sort(),
		...(before.head !== after.head && {
			head: { from: before.head ?? "no commit", to: after.head ?? "no commit" },
		}),
		...(before.branch !== after.branch && {
			branch: { from: before.branch ?? "no branch", to: after.branch ?? "no branch" },
		}),
	};
}

/** Some at a time, so that neither file handles nor the event loop run short. */
async function fingerprintAll(
	checkout: string,
	paths: readonly string[],
	into: Map<string, string>,
): Promise<void> {
	for (let start = 0; start < paths.length; start += 64) {
		await Promise.all(
			paths.slice(start, start + 64).map(async (path) => {
				into.set(path, await fingerprint(join(checkout, path)));
			}),
		);
	}
}

/** Size and times tell a rewritten file; its content is not read. */
async function fingerprint(file: string): Promise<string> {
	try {
		const { size, mtimeMs, ino } = await lstat(file);
		return `${size}:${mtimeMs}:${ino}`;
	} catch {
		return "missing";
	}
}

/** What a comparison has to say to people: what is wrong, and what is worth knowing. */
export function describeCheckoutChange(
	checkout: string,
	change: CheckoutChange,
): { readonly problems: readonly string[]; readonly facts: readonly string[] } {
	const problems: string[] = [];
	const facts: string[] = [];
	if (change.files.length > 0) {
		problems.push(
			`Files in the main checkout at ${checkout} changed during the run, by this agent or by someone else: ${listSome(change.files, 20)}.`,
		);
	}
	if (change.branch) {
		problems.push(
			`The main checkout at ${checkout} went from ${change.branch.from} to ${change.branch.to} during the run.`,
		);
	} else if (change.head) {
		const { from, to } = change.head;
		facts.push(
			`The main checkout went from ${shortCommit(from)} to ${shortCommit(to)} during the run; that is not part of these changes.`,
		);
	}
	return { problems, facts };
}
