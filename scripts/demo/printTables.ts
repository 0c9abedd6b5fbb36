/** Real rows beside synthetic ones, for the terminal. */
import { textTable } from '../../cli/tables.ts';

/** Rows of two tables side by side, with as many columns as fit `width` characters. */
export function sideBySide(columns: string[], real: string[][], synthetic: string[][], width: number): string {
  const cellWidth = 14;
  const shown = Math.max(1, Math.min(columns.length, Math.floor((width - 4) / (2 * (cellWidth + 2)))));
  const cut = (text: string) => (text.length > cellWidth ? `${text.slice(0, cellWidth - 1)}…` : text);
  const header = columns.slice(0, shown).map(cut);
  const rows = real.map((row, i) => [
    ...row.slice(0, shown).map(cut),
    '|',
    ...(synthetic[i] ?? []).slice(0, shown).map(cut),
  ]);
  const table = textTable([...header, '|', ...header], rows);
  const half = shown * (cellWidth + 2);
  const hidden = columns.slice(shown);
  const rest = hidden.length > 0 ? `\n(not shown here: ${hidden.join(', ')})` : '';
  return `${'REAL'.padEnd(half)}SYNTHETIC\n${table}${rest}`;
}
