/** The flags of one extension, as both hosts keep them. */
interface FlaggedExtension {
	readonly flags: ReadonlyMap<string, { readonly type: "boolean" | "string" }>;
}

/**
 * Gives the extensions of a child the values that the person gave their flags on the command line, as the host does for
 * the main session: without them, an extension would be another one in the child than it is in the parent.
 */
export function applyFlags(
	loaded: {
		readonly extensions: readonly FlaggedExtension[];
		readonly runtime: { readonly flagValues: Map<string, boolean | string> };
	},
	commandLine: readonly string[] = process.argv,
): void {
	for (const { flags } of loaded.extensions) {
		for (const [name, { type }] of flags) {
			const value = flagValue(name, type, commandLine);
			if (value !== undefined) loaded.runtime.flagValues.set(name, value);
		}
	}
}

function flagValue(
	name: string,
	type: "boolean" | "string",
	commandLine: readonly string[],
): boolean | string | undefined {
	const option = `--${name}`;
	const index = commandLine.findIndex(
		(argument) => argument === option || argument.startsWith(`${option}=`),
	);
	const argument = commandLine[index];
	if (argument === undefined) return undefined;
	if (type === "boolean") return true;
	return argument === option ? commandLine[index + 1] : argument.slice(option.length + 1);
}
