export { currentHost, type Host, type HostName, releasedHost } from "./hosts.js";
export { installCurrentHost } from "./install-current-host.js";
export { type PackedPackage, packExtension, packPackage } from "./pack-extension.js";
