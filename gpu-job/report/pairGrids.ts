/** The most strongly tied pairs of columns, each as two tables of counts over the same boxes. */
import type { Dress } from '../../domain/dress/dress.ts';
import type { GridReport, ReportData } from '../../domain/schema/report.ts';
import { type Binned, binColumn, type Tables } from './binned.ts';
import { LEAST_ROWS, sharesOf } from './smallCells.ts';

const MOST_CONTINGENCIES = 3;
const MOST_SCATTERS = 6;
/** Ties that are looked at for each, at most. */
const MOST_TRIED = 24;
const BINS = 14;
const LEVELS = 8;

type Associations = ReportData['associations'];
type Pair = Associations['matrices'][number]['pairs'][number];
interface Tie {
  columns: readonly [string, string];
  measure: GridReport['measure'];
  pair: Pair;
}

/** Pearson's correlations are left to the matrix: Spearman's say as much of what a drawing shows. */
const SCATTERED = ['spearman', 'correlation_ratio'] as const;

export function pairGrids(
  tables: Tables,
  associations: Associations,
  dresses: ReadonlyMap<string, Dress | null>,
): Pick<ReportData, 'contingencies' | 'scatters'> {
  const known = new Map<string, Binned | undefined>();
  const bin: Bin = (name) => {
    if (!known.has(name)) {
      const bins = isLevels(tables, name) ? LEVELS : BINS;
      known.set(name, binColumn(tables, name, dresses.get(name) ?? null, bins));
    }
    return known.get(name);
  };
  const grid = (tie: Tie): GridReport[] => gridOf(tables, tie, bin);
  return {
    contingencies: strongest(associations, ['cramers_v'])
      .slice(0, MOST_TRIED)
      .flatMap(grid)
      .slice(0, MOST_CONTINGENCIES),
    scatters: strongest(associations, SCATTERED).slice(0, MOST_TRIED).flatMap(grid).slice(0, MOST_SCATTERS),
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

/** The number along x, where one of the two is a category. */
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
      real: countPairs(x, y, 'real', LEAST_ROWS),
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
