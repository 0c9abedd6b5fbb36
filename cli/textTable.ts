/** A table in text, each column as wide as its widest cell. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, j) => Math.max(title.length, ...rows.map((row) => (row[j] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, j) => cell.padEnd(widths[j] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}
