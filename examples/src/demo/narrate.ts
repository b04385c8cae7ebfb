import type { DemoAgent, Happening } from "./demo-agent.js";
import { oneLine, plural, seconds } from "./lines.js";
import type { Paint, Shade } from "./paint.js";

/** How the story is told. */
export interface NarrationOptions {
	readonly paint: Paint;
	/** Characters of a line. */
	readonly width: number;
	/** Milliseconds since the story began. */
	readonly elapsed: () => number;
	readonly print: (line: string) => void;
}

const SHADES: readonly Shade[] = ["cyan", "magenta", "yellow", "blue"];
const NAME_LENGTH = 18;
/** How many lines of results are shown for the calls of one message. */
const RESULT_LINES = 3;

/** What is left to show of the results of one message's calls. */
interface Results {
	calls: number;
	lines: number;
}

/** Tells what happens as it happens: one line for each thing, with the time and who it is. */
export function createNarrator(options: NarrationOptions): (happening: Happening) => void {
	const { paint, width, elapsed, print } = options;
	const shades = new Map<DemoAgent, Shade>();
	const results = new Map<DemoAgent | undefined, Results>();

	function line(agent: DemoAgent | undefined, mark: string, text: string, shade?: Shade): void {
		const name = oneLine(agent?.description ?? "parent", NAME_LENGTH).padEnd(NAME_LENGTH);
		const time = seconds(elapsed()).padStart(6);
		const room = width - time.length - NAME_LENGTH - 6;
		const shown = oneLine(text, room);
		print(
			`${paint("dim", time)}  ${paint(shadeOf(agent), name)}  ${mark} ${shade ? paint(shade, shown) : shown}`,
		);
	}

	function shadeOf(agent: DemoAgent | undefined): Shade {
		if (agent === undefined) return "bold";
		const shade = shades.get(agent) ?? SHADES[shades.size % SHADES.length] ?? "cyan";
		shades.set(agent, shade);
		return shade;
	}

	function called(agent: DemoAgent | undefined, text: string, calls: number): void {
		const open = results.get(agent);
		results.set(agent, { calls: (open?.calls ?? 0) + calls, lines: RESULT_LINES });
		line(agent, paint("blue", "→"), text);
	}

	/** Of a single result the first lines, of several the first line of each, until there is no room for more. */
	function returned(agent: DemoAgent | undefined, text: string): void {
		const open = results.get(agent) ?? { calls: 1, lines: RESULT_LINES };
		const lines = text.split("\n").filter((each) => /[\p{L}\p{N}]/u.test(each));
		const room = Math.max(0, Math.ceil(open.lines / open.calls));
		for (const [index, each] of lines.slice(0, room).entries()) {
			const more = index === room - 1 ? lines.length - room : 0;
			const rest = more > 0 ? `  (and ${plural(more, "more line")})` : "";
			line(agent, paint("dim", "│"), oneLine(each, 60) + rest, "dim");
		}
		open.calls--;
		open.lines -= room;
		if (open.calls === 0) results.delete(agent);
		else results.set(agent, open);
	}

	function ended(agent: DemoAgent): void {
		const { status = "", turns = 0, toolUses = 0, duration = 0 } = agent.end ?? {};
		const used = `${plural(turns, "turn")}, ${plural(toolUses, "tool use")}, ${seconds(duration)}`;
		const shade = status === "completed" ? "green" : "red";
		line(agent, paint(shade, shade === "green" ? "✓" : "✗"), `${status} (${used})`, shade);
	}

	return (happening) => {
		switch (happening.type) {
			case "created":
				return line(happening.agent, paint("green", "▶"), describeAgent(happening.agent));
			case "said":
				return line(happening.agent, " ", happening.text);
			case "called":
				return called(happening.agent, happening.text, happening.calls ?? 1);
			case "returned":
				return returned(happening.agent, happening.text);
			case "failed":
				return line(happening.agent, paint("red", "✗"), happening.text, "red");
			case "read":
				return line(happening.agent, paint("yellow", "←"), `is told: ${happening.text}`);
			case "ended":
				return ended(happening.agent);
			case "told": {
				const names = happening.agents.map(({ description }) => `"${description}"`).join(" and ");
				return line(undefined, paint("yellow", "←"), `is told that ${names} ended`);
			}
		}
	};
}

function describeAgent({ id, type }: DemoAgent): string {
	return `starts as ${id} (${type})`;
}
