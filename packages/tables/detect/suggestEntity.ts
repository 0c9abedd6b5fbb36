/** Suggests the key of entities and their order. */
import type { ColumnProfile, SuggestedEntity } from '../../contract/columns.ts';
import { percent, quoted, withCommas } from '../../words/wording.ts';
import { parseCell } from '../format/cellFormat.ts';
import type { SampledCells } from '../keys/agreement.ts';

/** Fewer are not enough to learn sequences. */
const MIN_KEYS = 50;
const MIN_ROWS_PER_KEY = 1.5;
/** Minimum pairs to find the order. */
const MIN_PAIRS = 20;
/** For an ordering column. */
const MAX_FALLS = 0.02;
const MIN_RISES = 0.5;

/**
 * Prefers the key with the most rows per value.
 * @param cells Row sample in file order.
 */
export function suggestEntity(columns: readonly ColumnProfile[], cells: SampledCells): SuggestedEntity | null {
  const rowsPerKey = ({ key }: ColumnProfile): number =>
    key?.kind === 'repeated' && key.keys >= MIN_KEYS ? key.rows / key.keys : 0;
  const best = columns.reduce<number>(
    (most, column, at) => (most < 0 || rowsPerKey(column) > rowsPerKey(columns[most]!) ? at : most),
    -1,
  );
  const column = columns[best];
  if (!column?.key || rowsPerKey(column) < MIN_ROWS_PER_KEY) return null;
  const reason = `${withCommas(column.key.keys)} keys in ${withCommas(column.key.rows)} rows: rows of one ${quoted(column.name)} belong together`;
  return { column: column.name, reason, order: orderWithin(columns, cells, best) };
}

function orderWithin(columns: readonly ColumnProfile[], cells: SampledCells, key: number): SuggestedEntity['order'] {
  const pairs = pairsOf(cells[key] ?? []);
  if (pairs.length < MIN_PAIRS) return null;
  const rising = columns.flatMap(({ name, kind, format }, at) => {
    if (at === key || !format || !(kind === 'datetime' || kind === 'continuous')) return [];
    const own = (row: number): number => parseCell(cells[at]?.[row] ?? '', format) ?? Number.NaN;
    const steps = pairs.map(([a, b]) => own(b) - own(a)).filter((step) => !Number.isNaN(step));
    const share = (of: (step: number) => boolean): number => steps.filter(of).length / Math.max(1, steps.length);
    const rises = share((step) => step > 0);
    const isOrder = steps.length >= MIN_PAIRS && share((step) => step < 0) <= MAX_FALLS && rises >= MIN_RISES;
    return isOrder ? [{ name, rises, isTime: kind === 'datetime' }] : [];
  });
  const [first] = rising.sort((a, b) => Number(b.isTime) - Number(a.isTime) || b.rises - a.rises);
  if (!first) return null;
  const { name } = columns[key]!;
  return {
    column: first.name,
    reason: `it rises from one row to a later one of the same ${quoted(name)} in ${percent(first.rises)} of pairs`,
  };
}

function pairsOf(keys: readonly (string | null)[]): [number, number][] {
  const last = new Map<string, number>();
  const pairs: [number, number][] = [];
  keys.forEach((key, row) => {
    if (key === null) return;
    const before = last.get(key);
    if (before !== undefined) pairs.push([before, row]);
    last.set(key, row);
  });
  return pairs;
}
