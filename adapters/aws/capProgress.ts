/** Bounds on what a record keeps of its progress, so that it stays below the 400 KB that an item may have. */

export const MAX_LINE_BYTES = 500;
export const MAX_LINES = 300;

/** Lines kept at the beginning and at the end, where there have been too many. */
const HEAD = 100;
const TAIL = 99;

const LEFT_OUT = /^… (\d+) lines left out$/;

/** The line, cut at a character where it is too long. */
export function fitLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  let kept = '';
  let bytes = Buffer.byteLength('…');
  for (const character of line) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_LINE_BYTES) break;
    kept += character;
  }
  return `${kept}…`;
}

/** All lines where there is room for them; else the first and the last, and between them how many were left out. */
export function capProgress(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines];
  const middle = lines.slice(HEAD, lines.length - TAIL);
  const before = Number(LEFT_OUT.exec(middle[0] ?? '')?.[1] ?? 0);
  const leftOut = before === 0 ? middle.length : before + middle.length - 1;
  return [...lines.slice(0, HEAD), `… ${leftOut} lines left out`, ...lines.slice(lines.length - TAIL)];
}
