/** Modules of the extension that it does not publish, because it is one file for hosts; the build bundles them. */

// @boundaries-ignore nothing else can measure them alone
export { createActivityStore } from "../../packages/pi-extension/src/ui/activity-store.js";
// @boundaries-ignore nothing else can measure them alone
export { widgetLines } from "../../packages/pi-extension/src/ui/widget.js";
