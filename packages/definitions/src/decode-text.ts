import { Buffer, isUtf8 } from "node:buffer";

/** The text of UTF-8 bytes, with its byte order mark; otherwise whether they look like a header in another encoding. */
export function decodeText(bytes: Uint8Array): string | { readonly meant: boolean } {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (isUtf8(buffer)) return buffer.toString();
	const start = buffer
		.toString("latin1", 0, 64)
		.replace(/^(?:\xFF\xFE|\xFE\xFF|\xEF\xBB\xBF)/, "")
		.replaceAll("\0", "");
	return { meant: start.trimStart().startsWith("---") };
}
