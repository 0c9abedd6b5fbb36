const LINE_FEED = 0x0a;

/** Line breaks in `text` from `start` to `end`: LF, CR LF as one, and CR alone. */
export function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  for (let at = text.indexOf('\r', start); at >= 0 && at < end; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== LINE_FEED) lines++;
  }
  return lines;
}
