// The packages that hold a Node binary state their platform in a form that pnpm does not understand, so it would
// install all of them.
const PLATFORM = /^node-(?:bin-)?(darwin|linux)-(arm64|x64)$/;

exports.hooks = {
	readPackage(manifest) {
		const [, os, cpu] = PLATFORM.exec(manifest.name) ?? [];
		return os ? { ...manifest, os: [os], cpu: [cpu] } : manifest;
	},
};
