import { existsSync, readFileSync } from "node:fs";

/** A file that another process adds lines to. */
export interface FollowedFile {
	/** Hands on the lines that were added since the last time. */
	look(): void;
}

/** Follows a file, which need not be there yet; `onLine` gets every line once it is whole. */
export function followLines(file: string, onLine: (line: string) => void): FollowedFile {
	let seen = 0;
	return {
		look() {
			if (!existsSync(file)) return;
			const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
			for (const line of lines.slice(seen)) onLine(line);
			seen = lines.length;
		},
	};
}
