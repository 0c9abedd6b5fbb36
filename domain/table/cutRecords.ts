/** Whole records of a CSV text, each with its line end, and what is left behind the last. `"` around cells, doubled inside. */
export function cutRecords(text: string): { records: string[]; rest: string } {
  const records: string[] = [];
  let [start, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    if (char !== '\n' || quoted) continue;
    records.push(text.slice(start, at + 1));
    start = at + 1;
  }
  return { records, rest: text.slice(start) };
}
