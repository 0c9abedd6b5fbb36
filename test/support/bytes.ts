/** Bytes as uploads come: in chunks of any size. */

/** The text's or the bytes' chunks of `size` bytes; in one piece where `size` is left out. */
export async function* bytesOf(
  content: string | Uint8Array,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, Math.min(bytes.length, at + size));
}

/** The text in UTF-16 with its byte order mark. */
export function utf16(text: string, order: 'le' | 'be'): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2));
  view.setUint16(0, 0xfeff, order === 'le');
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i + 2, text.charCodeAt(i), order === 'le');
  return new Uint8Array(view.buffer);
}
