/** Each column's distribution, real and synthetic, in the same boxes. */
import type { Dress } from '../../domain/dress/dress.ts';
import type { ColumnReport } from '../../domain/schema/report.ts';
import { type Binned, binColumn, type Tables } from './binned.ts';
import { LEAST_ROWS, sharesOf } from './smallCells.ts';

export interface DrawnColumn {
  name: string;
  role: ColumnReport['role'];
  dress: Dress | null;
}

const BINS = 24;
const LEVELS = 12;

/** Real rows of which a distribution is drawn, at least. */
const LEAST_DRAWN = 20;

export function columnReport(tables: Tables, { name, role, dress }: DrawnColumn): ColumnReport {
  const base = { name, role, ...missingOf(tables, name) };
  const none = (reason: string): ColumnReport => ({ ...base, axis: null, real: null, synthetic: [], reason });
  if (role === 'identifier') return none('An identifier is made anew by its pattern; it has no distribution to keep.');
  const isLevels = tables.real.columns.get(name)?.kind === 'category';
  const binned = binColumn(tables, name, dress, isLevels ? LEVELS : BINS);
  if (!binned) return none('There are too few cells to be drawn.');
  const realCells = countPresent(binned.real);
  return {
    ...base,
    axis: binned.axis,
    real: realCells < LEAST_DRAWN ? null : sharesOf(countBoxes(binned, 'real'), realCells, LEAST_ROWS),
    synthetic: sharesOf(countBoxes(binned, 'synthetic'), countPresent(binned.synthetic), 1),
    reason: realCells < LEAST_DRAWN ? 'There are too few real rows for their distribution to be drawn.' : null,
  };
}

function countBoxes(binned: Binned, side: 'real' | 'synthetic'): Int32Array {
  const counts = new Int32Array(binned.axis.bins);
  for (const box of binned[side]) if (box >= 0) counts[box]! += 1;
  return counts;
}

const countPresent = (boxes: Int32Array): number => boxes.reduce((sum, box) => sum + (box >= 0 ? 1 : 0), 0);

function missingOf({ real, synthetic }: Tables, name: string): { missing_real: number; missing_synthetic: number } {
  const share = (table: Tables['real']): number => {
    const column = table.columns.get(name);
    if (!column || table.rows === 0) return 0;
    let missing = 0;
    for (let row = 0; row < table.rows; row++) {
      if (
        column.kind === 'numeric'
          ? Number.isNaN(column.values[row]!)
          : column.kind === 'category'
            ? column.codes[row]! < 0
            : column.values[row] === null
      )
        missing++;
    }
    return sharesOf([missing], table.rows, 1)[0]!;
  };
  return { missing_real: share(real), missing_synthetic: share(synthetic) };
}
