/** How well a synthetic table resembles the real one: every figure beside that of real rows and of the yardsticks. */
import { ASSOCIATIONS, type ColumnFidelity, type FidelityMetrics } from '../../../domain/schema/fidelityMetrics.ts';
import type { MeasuredFigure } from '../../../domain/schema/measuredFigure.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Report } from '../../models/model.ts';
import { bandInterval, judgeDistance, type RealBand, toMeasured } from '../measured.ts';
import type { Made, Parts } from '../parts.ts';
import type { Combination } from './accuracy.ts';
import { type Association, pairsOf } from './associations.ts';
import { type ColumnDistances, meanDefined } from './columnDistances.ts';
import { type ComparedPart, comparePart } from './compareParts.ts';
import { discriminatorFigure } from './discriminatorFigure.ts';
import type { Combinations, DistanceName } from './summarise.ts';

/** Triples of columns that are looked at, at most. */
export const MOST_TRIPLES = 60;

/** Pairs named for the difference of their association, at most. */
const NAMED_GAPS = 10;

const REASONS: Record<DistanceName, string> = {
  one_way: 'there is no numeric or category column, or no row',
  two_way: 'it takes two columns, and rows in both tables',
  three_way: 'it takes three columns, and rows in both tables',
  ks: 'no numeric column has values in both tables',
  wasserstein: 'no numeric column has spread in the real table and values in the other',
  total_variation: 'no category column has values in both tables',
  missingness: 'there is no column, or no row',
  pearson: 'no two numeric columns vary together in both tables',
  spearman: 'no two numeric columns vary together in both tables',
  correlation_ratio: 'no numeric and category column vary together in both tables',
  cramers_v: 'no two category columns vary together in both tables',
};

/** One association matrix, its entries as lists of the pairs i < j of `columns`; null where a pair has none. */
export interface AssociationMatrix {
  measure: Association;
  pairs: { columns: readonly [number, number]; real: number | null; synthetic: number | null }[];
}

/** Figures too long for a job's record. */
export interface FidelityData {
  columns: string[];
  associations: AssociationMatrix[];
}

export async function measureFidelity(
  measured: Parts,
  random: RandomStream,
  report: Report,
): Promise<{ metrics: FidelityMetrics; data: FidelityData }> {
  const { parts, columns, leftOut } = measured;
  const names = [...columns.numeric, ...columns.categorical];
  const combinations: Combinations = {
    pairs: pairsOf(names.length),
    triples: sampleTriples(names.length, random.child('triples')),
  };
  const compared: ComparedPart[] = [];
  for (const [at, part] of parts.entries()) {
    const task = { part, columns, combinations, redraw: parts.length === 1, random: random.child(`part ${at}`) };
    compared.push(comparePart(task));
    await report(`Metrics: ${names.length} columns of ${compared[at]!.compared} rows compared with the real ones`);
  }
  const figure = (name: DistanceName, isAccuracy: boolean) => distanceFigure(name, compared, isAccuracy);
  const told = discriminatorFigure(measured, random.child('discriminator'));
  await report(`Metrics: ${told.discriminator.rows} synthetic rows set against real ones by a discriminator`);
  const first = compared[0]!;
  const metrics: FidelityMetrics = {
    one_way: figure('one_way', true),
    two_way: figure('two_way', true),
    three_way: figure('three_way', true),
    ks: figure('ks', false),
    wasserstein: figure('wasserstein', false),
    total_variation: figure('total_variation', false),
    missingness: figure('missingness', false),
    pearson: figure('pearson', false),
    spearman: figure('spearman', false),
    correlation_ratio: figure('correlation_ratio', false),
    cramers_v: figure('cramers_v', false),
    ...told,
    columns: names.map((name, at) => columnFidelity(name, at < columns.numeric.length, compared, at)),
    largest_gaps: largestGaps(names, combinations, first),
    columns_left_out: leftOut,
  };
  return { metrics, data: { columns: names, associations: matricesOf(combinations, first) } };
}

/** Triples of columns, all of them or a random choice. */
function sampleTriples(columns: number, random: RandomStream): Combination[] {
  if (columns < 3) return [];
  const chosen = new Map<string, Combination>();
  const all = (columns * (columns - 1) * (columns - 2)) / 6;
  const wanted = Math.min(MOST_TRIPLES, all);
  while (chosen.size < wanted) {
    const drawn = new Set<number>();
    while (drawn.size < 3) drawn.add(random.integer(columns));
    const triple = [...drawn].sort((a, b) => a - b);
    chosen.set(triple.join(), triple);
  }
  return [...chosen.values()];
}

/** The mean over parts; accuracies are one minus the distance. */
function distanceFigure(name: DistanceName, parts: readonly ComparedPart[], isAccuracy: boolean): MeasuredFigure {
  const of = (made: Made) => meanDefined(parts.map((part) => part.made[made][name]));
  const real = parts.flatMap((part) => part.real.flatMap((distances) => distances[name] ?? []));
  const held = meanDefined(parts.flatMap((part) => part.real.slice(0, 1).map((distances) => distances[name])));
  const [{ compared, reference }] = [parts[0]!];
  const band: RealBand = { distances: real, compared, reference };
  const value = of('synthetic');
  const interval = bandInterval(value, band);
  const turn = (distance: number | undefined) =>
    isAccuracy && distance !== undefined ? Math.max(0, 1 - distance) : distance;
  return toMeasured({
    value: turn(value),
    interval: interval && isAccuracy ? [Math.max(0, 1 - interval[1]), 1 - interval[0]] : interval,
    rows: parts.reduce((sum, part) => sum + part.compared, 0),
    reason: REASONS[name],
    ideal: isAccuracy ? 1 : 0,
    holdout: turn(held),
    independent: turn(of('independent')),
    swapped: turn(of('swapped')),
    verdict: judgeDistance(value, band),
  });
}

function columnFidelity(name: string, isNumeric: boolean, parts: readonly ComparedPart[], at: number): ColumnFidelity {
  const mean = (of: (distances: ColumnDistances) => number | undefined): number | null => {
    const value = meanDefined(parts.map((part) => of(part.columns[at]!)));
    return value !== undefined && Number.isFinite(value) ? value : null;
  };
  const reasons = parts.flatMap(({ columns }) => columns[at]!.reason ?? []);
  const wasserstein = mean((column) => column.wasserstein);
  const isTooLarge = isNumeric && wasserstein === null && reasons.length === 0;
  return {
    name,
    kind: isNumeric ? 'numeric' : 'category',
    ks: mean((column) => column.ks),
    wasserstein,
    total_variation: mean((column) => column.totalVariation),
    missing_real: mean((column) => column.missing[0]),
    missing_synthetic: mean((column) => column.missing[1]),
    reason: isTooLarge ? 'numbers too large for the Wasserstein distance' : (reasons[0] ?? null),
  };
}

function largestGaps(names: readonly string[], { pairs }: Combinations, part: ComparedPart) {
  const { real, synthetic } = part.associations;
  const gaps = ASSOCIATIONS.flatMap((measure) =>
    pairs.flatMap(([i, j], at) => {
      const [a, b] = [real[measure][at]!, synthetic[measure][at]!];
      const columns: [string, string] = [names[i]!, names[j]!];
      return Number.isFinite(a - b) ? [{ measure, columns, real: a, synthetic: b }] : [];
    }),
  );
  const size = (gap: (typeof gaps)[number]): number => Math.abs(gap.real - gap.synthetic);
  return gaps.sort((a, b) => size(b) - size(a)).slice(0, NAMED_GAPS);
}

function matricesOf({ pairs }: Combinations, { associations }: ComparedPart): AssociationMatrix[] {
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return ASSOCIATIONS.map((measure) => ({
    measure,
    pairs: pairs.flatMap((columns, at) => {
      const real = finite(associations.real[measure][at]!);
      const synthetic = finite(associations.synthetic[measure][at]!);
      return real === null && synthetic === null ? [] : [{ columns, real, synthetic }];
    }),
  }));
}
