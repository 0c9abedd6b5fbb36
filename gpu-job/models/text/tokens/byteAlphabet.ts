/** GPT-2's alphabet of bytes: one printable character for each of the 256, in which pieces and merges are written. */

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const CHARACTERS: readonly string[] = (() => {
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : 256 + moved++));
})();

const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** The 256 pieces of one byte, by byte. */
export const BYTE_PIECES = CHARACTERS;

const encoder = new TextEncoder();

/** UTF-8 bytes of a text as characters of the alphabet. Halves of surrogate pairs become the replacement character. */
export function toByteCharacters(text: string): string {
  let out = '';
  for (const byte of encoder.encode(text)) out += CHARACTERS[byte]!;
  return out;
}

/** The bytes of a piece; undefined where it has a character outside the alphabet. */
export function pieceBytes(piece: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const character of piece) {
    const byte = BYTES.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
