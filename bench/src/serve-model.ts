// The scripted model in a process of its own, for rows that measure sessions in theirs.
import { startModelServer } from "@pi-subagents/test-helpers";

const server = await startModelServer();
process.send?.(server.url);
process.once("disconnect", () => void server.close());
