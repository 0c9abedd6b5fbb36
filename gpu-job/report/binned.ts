/** Columns of both tables in boxes of one axis. */
import type { Dress } from '../../domain/dress/dress.ts';
import type { Axis } from '../../domain/schema/report.ts';
import type { ModelColumn, ModelTable, TextColumn } from '../models/model.ts';
import { levelAxis } from './levelAxis.ts';
import { countAxis, numberAxis } from './numberAxis.ts';

export interface Binned {
  axis: Axis;
  /** The box of each row; -1 where the cell is missing. */
  real: Int32Array;
  synthetic: Int32Array;
}

export interface Tables {
  real: ModelTable;
  synthetic: ModelTable;
}

/** `bins` at most. A text is put where its length is. Undefined where the column cannot be drawn. */
export function binColumn(
  { real, synthetic }: Tables,
  name: string,
  dress: Dress | null,
  bins: number,
): Binned | undefined {
  const [a, b] = [real.columns.get(name), synthetic.columns.get(name)];
  if (!a || !b) return undefined;
  if (a.kind === 'category' && b.kind === 'category') {
    const axis = levelAxis(a, b, bins);
    const boxes = ({ codes, levels }: typeof a) => codes.map((code) => axis.binOf(levels[code] ?? null));
    return axis.bins === 0 ? undefined : { axis: plain(axis), real: boxes(a), synthetic: boxes(b) };
  }
  const [x, y] = [numbersOf(a), numbersOf(b)];
  if (!x || !y) return undefined;
  const isText = a.kind === 'text';
  const axis = isText ? countAxis(name, x, y, bins) : numberAxis(name, x, y, dress, bins);
  if (!axis) return undefined;
  const boxes = (values: Float64Array) => Int32Array.from(values, axis.binOf);
  const shown: Axis = isText ? { ...plain(axis), kind: 'characters' } : plain(axis);
  return { axis: shown, real: boxes(x), synthetic: boxes(y) };
}

const plain = ({ column, kind, bins, ticks }: Axis): Axis => ({ column, kind, bins, ticks });

function numbersOf(column: ModelColumn): Float64Array | undefined {
  if (column.kind === 'numeric') return column.values.map((value) => (Number.isFinite(value) ? value : Number.NaN));
  return column.kind === 'text' ? lengthsOf(column) : undefined;
}

const lengthsOf = ({ values }: TextColumn): Float64Array =>
  Float64Array.from(values, (text) => (text === null ? Number.NaN : text.length));
