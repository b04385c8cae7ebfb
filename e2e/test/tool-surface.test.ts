import { expect, test } from "vitest";
import { type ChildWorld, onBothHosts } from "./child-host.js";

const OWN = ["subagent", "get_subagent_result", "steer_subagent", "stop_subagent"];

onBothHosts("the tools as the model sees them", toolSurface);

function toolSurface(world: ChildWorld): void {
	test("the four tools with the built-in types cost at most 800 tokens", async () => {
		const tools = await ownTools(world);
		expect(tools.map(({ name }) => name)).toEqual(OWN);
		const characters = tools
			.map(({ name, description, parameters }) => name + description + JSON.stringify(parameters))
			.join("").length;
		expect(characters / 4).toBeLessThanOrEqual(800);
	});

	test("the schemas use only what every provider takes (SCHEMA-01)", async () => {
		for (const { name, parameters } of await ownTools(world)) {
			expect(parameters, name).toMatchObject({ type: "object", properties: expect.any(Object) });
			const text = JSON.stringify(parameters);
			for (const word of ["anyOf", "oneOf", "allOf", "not", "const", "enum", "format", "pattern"]) {
				expect(text, name).not.toContain(`"${word}":`);
			}
			for (const property of Object.values(parameters.properties)) {
				expect(["string", "number", "boolean"], name).toContain(property.type);
			}
		}
	});

	test("only types that can be started are advertised (SCHEMA-04)", async () => {
		const text = async (agents: object): Promise<string> =>
			(await ownTools(world, { agents }))[0]?.description ?? "";
		const all = await text({});
		for (const name of ["general-purpose", "Explore", "Plan"]) expect(all).toContain(`- ${name}: `);
		const one = await text({ Plan: { enabled: false }, Explore: { hidden: true } });
		expect(one).toContain("- general-purpose: ");
		expect(one).not.toMatch(/Plan|Explore/);
		const off = { enabled: false };
		const none = await text({ Plan: off, Explore: off, "general-purpose": off });
		expect(none).toContain("There are no types now, so none can be started.");
		expect(none).not.toContain("Types:");
	});
}

interface Tool {
	readonly name: string;
	readonly description: string;
	readonly parameters: {
		readonly properties: Readonly<Record<string, { readonly type?: unknown }>>;
	};
}

/** The definitions of this extension's tools in a request of the parent. */
async function ownTools(world: ChildWorld, settings: object = {}): Promise<readonly Tool[]> {
	const host = await world.session({ ...settings });
	await host.prompt("hello");
	const { tools } = world.server.requests.at(-1)?.body ?? {};
	if (!Array.isArray(tools)) throw new Error("The request has no tools.");
	return tools
		.map((tool: { readonly function: Tool }) => tool.function)
		.filter(({ name }) => OWN.includes(name));
}
