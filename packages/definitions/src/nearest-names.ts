/**
 * The names that somebody may have meant by `query`, best first, at most three: those that differ in few letters, and
 * those that contain the query or are contained in it. Case and the kind of separator do not count. Equal candidates come
 * in the order of `names`.
 */
export function nearestNames(query: string, names: readonly string[]): readonly string[] {
	const wanted = plain(query.slice(0, 80));
	if (wanted === "") return [];
	return names
		.map((name, index) => ({ name, index, distance: distanceTo(wanted, plain(name)) }))
		.filter((candidate) => candidate.distance !== undefined)
		.sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || a.index - b.index)
		.slice(0, 3)
		.map((candidate) => candidate.name);
}

/** Whether two different names are so alike that one is probably a misspelling of the other; never for very short names. */
export function isProbablyTypo(written: string, meant: string): boolean {
	const shorter = Math.min(written.length, meant.length);
	if (written === meant || shorter < 4 || Math.abs(written.length - meant.length) > 2) return false;
	// Hardly anybody mistypes both ends, and most words are told apart without counting edits.
	if (written[0] !== meant[0] && written.at(-1) !== meant.at(-1)) return false;
	return editDistance(written, meant) <= (shorter < 7 ? 1 : 2);
}

function distanceTo(wanted: string, name: string): number | undefined {
	const longer = Math.max(wanted.length, name.length);
	const distance = editDistance(wanted, name);
	if (distance <= Math.max(1, Math.floor(longer / 3))) return distance;
	const shorter = Math.min(wanted.length, name.length);
	return shorter >= 3 && (wanted.includes(name) || name.includes(wanted)) ? longer : undefined;
}

function plain(name: string): string {
	return name
		.normalize("NFC")
		.toLowerCase()
		.trim()
		.replace(/[\s_-]+/g, "-");
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const replace = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
			let best = Math.min(replace, at(last, j) + 1, at(row, j - 1) + 1);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
				best = Math.min(best, at(beforeLast, j - 2) + 1);
			}
			row.push(best);
		}
		beforeLast = last;
		last = row;
	}
	return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
	return row[index] ?? 0;
}
