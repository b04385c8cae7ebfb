import { getMarkdownTheme, type Theme } from "@mariozechner/pi-coding-agent";
import { Markdown, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@mariozechner/pi-tui";
import { messageText, type SessionMessage } from "@pi-subagents/core";
import { oneLine, plural } from "../../format.js";
import { plain } from "../cards.js";
import type { Transcript } from "./fleet-source.js";

/** How much is shown. */
export interface TranscriptDetail {
	/** Whole arguments and results of tools. */
	readonly tools: boolean;
	readonly thinking: boolean;
}

/** Of a tool's result, while it is folded. */
const FOLDED_LINES = 4;
const INDENT = "  ";

/** Draws conversations, each message once for a width and a detail; the one that is being written, every time. */
export function transcriptRenderer(
	theme: Theme,
): (transcript: Transcript, width: number, detail: TranscriptDetail) => readonly string[] {
	const drawn = new WeakMap<SessionMessage, { readonly key: string; readonly lines: string[] }>();

	return ({ messages, live }, width, detail) => {
		const key = `${width} ${detail.tools} ${detail.thinking}`;
		const all: string[] = [];
		const add = ({ role }: SessionMessage, lines: readonly string[]): void => {
			if (lines.length === 0) return;
			// A result belongs to the call above it.
			if (all.length > 0 && role !== "toolResult") all.push("");
			for (const line of lines) all.push(line);
		};
		for (const message of messages) {
			const known = drawn.get(message);
			if (known?.key === key) {
				add(message, known.lines);
				continue;
			}
			const lines = fit(messageLines(message, theme, width, detail), width);
			drawn.set(message, { key, lines });
			add(message, lines);
		}
		if (live) add(live, fit(messageLines(live, theme, width, detail), width));
		return all;
	};
}

/** A wide character may not fit even where it is alone. */
function fit(lines: readonly string[], width: number): string[] {
	return lines.map((line) =>
		visibleWidth(line) <= width ? line : truncateToWidth(line, width, ""),
	);
}

function messageLines(
	message: SessionMessage,
	theme: Theme,
	width: number,
	detail: TranscriptDetail,
): readonly string[] {
	switch (message.role) {
		case "user":
			return said("❯", messageText(message), theme, width);
		case "assistant":
			return assistantLines(message, theme, width, detail);
		case "toolResult":
			return resultLines(message, theme, width, detail);
		default: {
			const text = messageText(message) || textMember(message, "summary");
			return text === "" ? [] : said("※", `${message.role}: ${text}`, theme, width);
		}
	}
}

function said(mark: string, text: string, theme: Theme, width: number): readonly string[] {
	return wrapped(plain(text), width - INDENT.length).map(
		(line, index) => `${index === 0 ? `${theme.fg("accent", mark)} ` : INDENT}${theme.bold(line)}`,
	);
}

function assistantLines(
	message: SessionMessage,
	theme: Theme,
	width: number,
	detail: TranscriptDetail,
): readonly string[] {
	const parts: readonly unknown[] = Array.isArray(message.content)
		? message.content
		: [{ type: "text", text: message.content }];
	const lines = parts.flatMap((part) => {
		const kind = textMember(part, "type");
		if (kind === "thinking")
			return thinkingLines(textMember(part, "thinking"), theme, width, detail);
		if (kind === "text") {
			const text = plain(textMember(part, "text")).trim();
			return text === ""
				? []
				: new Markdown(text, 0, 0, getMarkdownTheme()).render(Math.max(1, width));
		}
		return kind === "toolCall" ? callLines(part, theme, width, detail) : [];
	});
	if (message.stopReason !== "error" && message.stopReason !== "aborted") return lines;
	const why = plain(message.errorMessage || message.stopReason);
	return [...lines, ...wrapped(why, width).map((line) => theme.fg("error", line))];
}

function thinkingLines(
	text: string,
	theme: Theme,
	width: number,
	detail: TranscriptDetail,
): readonly string[] {
	const lines = wrapped(plain(text).trim(), width - INDENT.length);
	if (text.trim() === "") return [];
	const shown = detail.thinking
		? lines
		: [
				`thinking${lines.length > 1 ? `, ${plural(lines.length, "line")}` : ""}: ${oneLine(text, 60)}`,
			];
	return shown.map((line, index) =>
		theme.fg("dim", `${index === 0 ? "∴ " : INDENT}${truncateToWidth(line, width - 2, "…")}`),
	);
}

function callLines(
	part: unknown,
	theme: Theme,
	width: number,
	detail: TranscriptDetail,
): readonly string[] {
	const args = member(part, "arguments") ?? {};
	const name = theme.fg("toolTitle", theme.bold(oneLine(textMember(part, "name"), 60)));
	const line = `${theme.fg("accent", "→")} ${name}`;
	if (!detail.tools) {
		return [
			truncateToWidth(
				`${line} ${theme.fg("muted", oneLine(argumentsText(args), 400))}`,
				width,
				"…",
			),
		];
	}
	const json = plain(JSON.stringify(args, undefined, 2) ?? "");
	return [line, ...indented(wrapped(json, width - 2).map((each) => theme.fg("muted", each)))];
}

/** `path: a.ts, limit: 5` */
function argumentsText(args: unknown): string {
	if (typeof args !== "object" || args === null) return String(args);
	return Object.entries(args)
		.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
		.join(", ");
}

function resultLines(
	message: SessionMessage,
	theme: Theme,
	width: number,
	detail: TranscriptDetail,
): readonly string[] {
	const color = member(message, "isError") === true ? "error" : "toolOutput";
	const text = plain(messageText(message)).trimEnd();
	const all = text === "" ? ["(no text)"] : wrapped(text, width - INDENT.length);
	const shown = detail.tools || all.length <= FOLDED_LINES + 1 ? all : all.slice(0, FOLDED_LINES);
	const hidden = all.length - shown.length;
	return indented([
		...shown.map((line) => theme.fg(color, line)),
		...(hidden > 0 ? [theme.fg("dim", `… ${plural(hidden, "more line")}`)] : []),
	]);
}

function indented(lines: readonly string[]): readonly string[] {
	return lines.map((line) => INDENT + line);
}

/** The lines of a text, each cut into pieces of the width. */
export function wrapped(text: string, width: number): readonly string[] {
	return text.split("\n").flatMap((line) => {
		const pieces = wrapTextWithAnsi(line.replaceAll("\t", "    "), Math.max(1, width));
		return pieces.length === 0 ? [""] : pieces;
	});
}

function member(value: unknown, name: string): unknown {
	if (typeof value !== "object" || value === null) return undefined;
	return (value as Readonly<Record<string, unknown>>)[name];
}

function textMember(value: unknown, name: string): string {
	const text = member(value, name);
	return typeof text === "string" ? text : "";
}
