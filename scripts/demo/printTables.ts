/** What the demo shows in the terminal: metrics, and real rows beside synthetic ones. */
import type { Metrics } from './client.ts';

const MEANING: Record<string, string> = {
  'KS (Avg)': 'distance between real and synthetic distributions; 0 is equal',
  'WD (Avg)': 'Wasserstein distance in standard deviations; 0 is equal',
  'Corr Diff (F-Norm)': 'distance between correlation matrices; 0 is equal',
  'DCR (Avg)': 'mean distance to the closest real row; near 0 would be copying',
  'Duplicate Rate (%)': 'synthetic rows that equal a real row',
  'TSTR R²': 'trained on synthetic, tested on real: share of variance explained',
  'TSTR RMSE': 'the same as an error in the target’s units',
  family: 'distribution family of the target',
};

export function metricsTable(metrics: Metrics): string {
  const cell = (value: number | string | null | undefined) =>
    typeof value === 'number' ? value.toPrecision(4) : (value ?? '–');
  const rows = Object.entries(metrics.numeric).map(([name, value]) => [
    name,
    cell(value),
    name === 'family' ? '' : cell(metrics.holdout?.[name]),
    MEANING[name] ?? '',
  ]);
  return textTable(['metric', 'synthetic', 'real rows kept apart', 'what it says'], rows);
}

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

function textTable(header: string[], rows: string[][]): string {
  const widths = header.map((title, j) => Math.max(title.length, ...rows.map((row) => (row[j] ?? '').length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, j) => cell.padEnd(widths[j] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}
