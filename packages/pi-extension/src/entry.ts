// What a host loads. Hosts transform this file, so that it gets the host's own packages, and what they transform they
// compile with Babel at their first start. So this is all of it: it hands those packages to the bundle beside it, which
// Node loads as it is.
import { createRequire } from "node:module";
import * as ai from "@mariozechner/pi-ai";
import * as codingAgent from "@mariozechner/pi-coding-agent";
import * as tui from "@mariozechner/pi-tui";
import * as typebox from "typebox";
import type piSubagents from "./index.js";

/** The bundle as the build wraps it. */
type Bundle = (
	require: (name: string) => unknown,
	entryUrl: string,
) => { readonly default: typeof piSubagents };

const hostPackages: ReadonlyMap<string, unknown> = new Map<string, unknown>([
	["@mariozechner/pi-ai", ai],
	["@mariozechner/pi-coding-agent", codingAgent],
	["@mariozechner/pi-tui", tui],
	["typebox", typebox],
]);

const native = createRequire(import.meta.url);
const file = native.resolve("./subagents.cjs");
// So that `/reload` reads it again.
delete native.cache[file];
const bundle: Bundle = native(file);

export default bundle((name) => hostPackages.get(name) ?? native(name), import.meta.url).default;
