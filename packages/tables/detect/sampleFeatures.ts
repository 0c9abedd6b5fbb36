import type { CellFormat, ColumnProfile } from '../../contract/columns.ts';
import type { Feature } from '../../numerics/trees/features.ts';
import { parseCell } from '../format/cellFormat.ts';
import type { SampledCells } from '../keys/agreement.ts';

export interface SampledFeature {
  column: ColumnProfile;
  feature: Feature;
}

const MAX_ROWS = 2000;
const MAX_COLUMNS = 40;
/** Rarer levels count as missing. */
const MAX_LEVELS = 32;

/** Omits keys, texts and empty columns. */
export function sampleFeatures(columns: readonly ColumnProfile[], cells: SampledCells): SampledFeature[] {
  const rows = spread([...(cells[0]?.keys() ?? [])], MAX_ROWS);
  const known = [...columns.entries()].flatMap(([at, column]) => {
    const own = cells[at] ?? [];
    const cellsOf = () => rows.map((row) => own[row] ?? null);
    if (column.kind === 'categorical') return [{ column, make: () => levelsOf(cellsOf(), column) }];
    const { format } = column;
    const isNumber = column.kind === 'continuous' || (column.kind === 'datetime' && format?.kind === 'time');
    return isNumber && format ? [{ column, make: () => numericFeature(cellsOf(), format) }] : [];
  });
  return spread(known, MAX_COLUMNS).map(({ column, make }) => ({ column, feature: make() }));
}

function levelsOf(cells: readonly (string | null)[], { top_levels }: ColumnProfile): Feature {
  const codes = new Map(top_levels.slice(0, MAX_LEVELS).map(([level], code) => [level, code]));
  return {
    kind: 'category',
    codes: Int32Array.from(cells, (cell) => (cell === null ? -1 : (codes.get(cell) ?? -1))),
    levels: codes.size,
  };
}

const numericFeature = (cells: readonly (string | null)[], format: CellFormat): Feature => ({
  kind: 'numeric',
  values: Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : (parseCell(cell, format) ?? Number.NaN))),
});

const spread = <Item>(items: readonly Item[], most: number): Item[] =>
  items.length <= most
    ? [...items]
    : Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);

/** Ranks from 0 to 1; mean ranks for ties. */
export function ranksOf(values: Float64Array): Float64Array {
  const order = [...values.keys()].filter((i) => !Number.isNaN(values[i]!)).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length).fill(Number.NaN);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let k = from; k < to; k++) ranks[order[k]!] = (from + to) / 2 / order.length;
    from = to;
  }
  return ranks;
}
