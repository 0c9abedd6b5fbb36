import type { CellFormat } from '../../contract/columns.ts';
import { type Axis, type GridReport, MIN_LEVEL_ROWS, type ReportData } from '../../contract/report.ts';
import { clip } from '../../words/format.ts';
import type { CategoryColumn, ModelColumn, ModelTable, TextColumn } from '../models/model.ts';
import { countAxis, MIN_ROWS, numberAxis, sharesOf } from './numberAxis.ts';

export interface Binned {
  axis: Axis;
  /** -1 for missing. */
  real: Int32Array;
  synthetic: Int32Array;
}

export interface Tables {
  real: ModelTable;
  synthetic: ModelTable;
}

/** Uses lengths of texts. Undefined if the column cannot be charted. */
export function binColumn(
  { real, synthetic }: Tables,
  name: string,
  format: CellFormat | null,
  bins: number,
): Binned | undefined {
  const [a, b] = [real.columns.get(name), synthetic.columns.get(name)];
  if (!a || !b) return undefined;
  if (a.kind === 'category' && b.kind === 'category') {
    const axis = levelAxis(a, b, bins);
    const boxes = ({ codes, levels }: typeof a) => codes.map((code) => axis.binOf(levels[code] ?? null));
    return axis.bins === 0 ? undefined : { axis: plain(axis), real: boxes(a), synthetic: boxes(b) };
  }
  const [x, y] = [numbersToBin(a), numbersToBin(b)];
  if (!x || !y) return undefined;
  const isText = a.kind === 'text';
  const axis = isText ? countAxis(name, x, y, bins) : numberAxis(name, x, y, format, bins);
  if (!axis) return undefined;
  const boxes = (values: Float64Array) => Int32Array.from(values, axis.binOf);
  const shown: Axis = isText ? { ...plain(axis), kind: 'characters' } : plain(axis);
  return { axis: shown, real: boxes(x), synthetic: boxes(y) };
}

const plain = ({ column, kind, bins, ticks }: Axis): Axis => ({ column, kind, bins, ticks });

function numbersToBin(column: ModelColumn): Float64Array | undefined {
  if (column.kind === 'numeric') return column.values.map((value) => (Number.isFinite(value) ? value : Number.NaN));
  return column.kind === 'text' ? lengthsOf(column) : undefined;
}

const lengthsOf = ({ values }: TextColumn): Float64Array =>
  Float64Array.from(values, (text) => (text === null ? Number.NaN : text.length));

interface LevelAxis extends Axis {
  /** -1 for null. */
  binOf(level: string | null): number;
}

const LONGEST_LABEL = 40;

/** Names levels without synthetic rows only if many real rows have them. */
function levelAxis(real: CategoryColumn, synthetic: CategoryColumn, most: number): LevelAxis {
  const [realCounts, madeCounts] = [countLevels(real), countLevels(synthetic)];
  const weight = (level: string): number =>
    (realCounts.get(level) ?? 0) / Math.max(1, real.codes.length) +
    (madeCounts.get(level) ?? 0) / Math.max(1, synthetic.codes.length);
  const known = [...new Set([...realCounts.keys(), ...madeCounts.keys()])];
  const named = known
    .filter((level) => (madeCounts.get(level) ?? 0) > 0 || (realCounts.get(level) ?? 0) >= MIN_LEVEL_ROWS)
    .sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  const hasOthers = named.length < known.length || named.length > most;
  const shown = named.slice(0, hasOthers ? most - 1 : most);
  const places = new Map(shown.map((level, at) => [level, at]));
  const texts = [...shown.map(labelOf), ...(hasOthers ? ['all others'] : [])];
  return {
    column: real.name,
    kind: 'levels',
    bins: texts.length,
    ticks: texts.map((text, at) => ({ at: at + 0.5, text })),
    binOf: (level) => (level === null ? -1 : (places.get(level) ?? shown.length)),
  };
}

function labelOf(level: string): string {
  const text = level.replace(/\s+/g, ' ').trim();
  if (text === '') return '(blank)';
  return clip(text, LONGEST_LABEL);
}

function countLevels({ codes, levels }: CategoryColumn): Map<string, number> {
  const counts = new Map<string, number>();
  for (const code of codes) {
    const level = levels[code];
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return counts;
}

const MAX_CONTINGENCIES = 3;
const MAX_SCATTERS = 6;
const MAX_TRIED = 24;
const BINS = 14;
const LEVELS = 8;

type Associations = ReportData['associations'];
type Pair = Associations['matrices'][number]['pairs'][number];
interface Tie {
  columns: readonly [string, string];
  measure: GridReport['measure'];
  pair: Pair;
}

const SCATTERED = ['spearman', 'correlation_ratio'] as const;

export function pairGrids(
  tables: Tables,
  associations: Associations,
  formats: ReadonlyMap<string, CellFormat | null>,
): Pick<ReportData, 'contingencies' | 'scatters'> {
  const known = new Map<string, Binned | undefined>();
  const bin: Bin = (name) => {
    if (!known.has(name)) {
      const bins = isLevels(tables, name) ? LEVELS : BINS;
      known.set(name, binColumn(tables, name, formats.get(name) ?? null, bins));
    }
    return known.get(name);
  };
  const grid = (tie: Tie): GridReport[] => gridOf(tables, tie, bin);
  return {
    contingencies: strongest(associations, ['cramers_v']).slice(0, MAX_TRIED).flatMap(grid).slice(0, MAX_CONTINGENCIES),
    scatters: strongest(associations, SCATTERED).slice(0, MAX_TRIED).flatMap(grid).slice(0, MAX_SCATTERS),
  };
}

function strongest({ columns, matrices }: Associations, measures: readonly GridReport['measure'][]): Tie[] {
  const ties = matrices
    .filter(({ measure }) => measures.includes(measure))
    .flatMap(({ measure, pairs }) =>
      pairs.flatMap((pair): Tie[] => {
        const [a, b] = [columns[pair.columns[0]], columns[pair.columns[1]]];
        const isInBoth = pair.real !== null && pair.synthetic !== null;
        return a !== undefined && b !== undefined && isInBoth ? [{ columns: [a, b], measure, pair }] : [];
      }),
    );
  return ties.sort((a, b) => Math.abs(b.pair.real ?? 0) - Math.abs(a.pair.real ?? 0));
}

type Bin = (name: string) => Binned | undefined;

const isLevels = ({ real }: Tables, name: string): boolean => real.columns.get(name)?.kind === 'category';

function gridOf(tables: Tables, { columns, measure, pair }: Tie, bin: Bin): GridReport[] {
  const [a, b] = columns;
  const [first, second] = isLevels(tables, a) && !isLevels(tables, b) ? [b, a] : [a, b];
  const [x, y] = [bin(first), bin(second)];
  if (!x || !y || x.axis.bins < 2 || y.axis.bins < 2) return [];
  return [
    {
      x: x.axis,
      y: y.axis,
      measure,
      strength_real: pair.real,
      strength_synthetic: pair.synthetic,
      real: countPairs(x, y, 'real', MIN_ROWS),
      synthetic: countPairs(x, y, 'synthetic', 1),
    },
  ];
}

function countPairs(x: Binned, y: Binned, side: 'real' | 'synthetic', least: number): number[] {
  const counts = new Int32Array(x.axis.bins * y.axis.bins);
  let rows = 0;
  for (let row = 0; row < x[side].length; row++) {
    const [i, j] = [x[side][row]!, y[side][row]!];
    if (i < 0 || j < 0) continue;
    counts[i * y.axis.bins + j]! += 1;
    rows++;
  }
  return sharesOf(counts, rows, least);
}
