/** Bytes as they come, piece by piece: which pieces go on as whole UTF-8, and the text that they make. */

/** What is open after some bytes: how many continuation bytes must follow, and the bounds of the next. */
export interface Utf8State {
  missing: number;
  least: number;
  most: number;
}

export const WHOLE: Utf8State = { missing: 0, least: 0x80, most: 0xbf };

/** The state after a byte; undefined where it cannot stand there (Unicode 15, table 3-7). */
function afterByte(state: Utf8State, byte: number): Utf8State | undefined {
  if (state.missing > 0) {
    if (byte < state.least || byte > state.most) return undefined;
    return { ...WHOLE, missing: state.missing - 1 };
  }
  if (byte < 0x80) return WHOLE;
  if (byte >= 0xc2 && byte <= 0xdf) return { ...WHOLE, missing: 1 };
  if (byte >= 0xe0 && byte <= 0xef) {
    return { missing: 2, least: byte === 0xe0 ? 0xa0 : 0x80, most: byte === 0xed ? 0x9f : 0xbf };
  }
  if (byte >= 0xf0 && byte <= 0xf4) {
    return { missing: 3, least: byte === 0xf0 ? 0x90 : 0x80, most: byte === 0xf4 ? 0x8f : 0xbf };
  }
  return undefined;
}

/** The state after the bytes of a piece; undefined where they cannot stand there. */
export function afterBytes(state: Utf8State, bytes: Uint8Array): Utf8State | undefined {
  let now: Utf8State | undefined = state;
  for (const byte of bytes) {
    now = afterByte(now, byte);
    if (!now) return undefined;
  }
  return now;
}

/** The text of pieces that make whole UTF-8; what is open at the end is left out. */
export function textOf(pieces: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true });
}
