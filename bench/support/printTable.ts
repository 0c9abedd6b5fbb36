/** Tables for the terminal: a header, and cells under one another; numbers to the right. */
export type TableCell = string | number | null | undefined;

/** Prints rows under a header. Numbers get three significant digits, a missing cell a dash. */
export function printTable(header: readonly string[], rows: readonly (readonly TableCell[])[]): void {
  console.log(tableLines(header, rows).join('\n'));
}

export function tableLines(header: readonly string[], rows: readonly (readonly TableCell[])[]): string[] {
  const texts = rows.map((row) => header.map((_, j) => cellText(row[j])));
  const isNumber = header.map((_, j) => rows.some((row) => typeof row[j] === 'number'));
  const widths = header.map((title, j) => Math.max(title.length, ...texts.map((row) => row[j]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, j) => (isNumber[j] ? cell.padStart(widths[j]!) : cell.padEnd(widths[j]!)))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...texts.map(line)];
}

function cellText(cell: TableCell): string {
  if (cell === null || cell === undefined) return '–';
  if (typeof cell === 'string') return cell;
  if (Number.isInteger(cell)) return `${cell}`;
  return Math.abs(cell) >= 100 ? cell.toFixed(0) : Number(cell.toPrecision(3)).toString();
}
