import type { MeasuredFigure, Verdict } from '../../../contract/measuredFigure.ts';
import type { ColumnFidelity, FidelityMetrics } from '../../../contract/metrics.ts';
import type { FidelityTask, Measure } from '../measure.ts';
import { bandInterval, judgeDistance, type RealBand, toMeasured } from '../measured.ts';
import type { Made } from '../parts.ts';
import type { ComparedPart } from './compareParts.ts';
import { type ColumnDistances, type DistanceName, meanDefined } from './summarise.ts';

type Likeness = Pick<FidelityMetrics, DistanceName | 'columns' | 'largest_gaps' | 'columns_left_out'>;

const REASONS: Record<DistanceName, string> = {
  one_way: 'there is no numeric or categorical column, or no row',
  two_way: 'it needs two columns, and rows in both tables',
  three_way: 'it needs three columns, and rows in both tables',
  ks: 'no numeric column has values in both tables',
  wasserstein: 'no numeric column varies in the real table and has values in the synthetic one',
  total_variation: 'no categorical column has values in both tables',
  missingness: 'there is no column, or no row',
  pearson: 'no two numeric columns vary in both tables',
  spearman: 'no two numeric columns vary in both tables',
  correlation_ratio: 'no pair of a numeric and a categorical column varies in both tables',
  cramers_v: 'no two categorical columns vary in both tables',
  association_strength: 'no two columns of the real table are clearly associated (0.2 or more)',
};

export const likeness: Measure<Likeness, FidelityTask> = ({ measured, compared }) => {
  const { parts, names } = compared;
  const isSeen = measured.measuredOn.method === 'halves';
  const accuracy = (name: DistanceName) => distanceFigure(name, parts, { isAccuracy: true, isSeen });
  const distance = (name: DistanceName) => distanceFigure(name, parts, { isAccuracy: false, isSeen });
  return {
    one_way: accuracy('one_way'),
    two_way: accuracy('two_way'),
    three_way: accuracy('three_way'),
    ks: distance('ks'),
    wasserstein: distance('wasserstein'),
    total_variation: distance('total_variation'),
    missingness: distance('missingness'),
    pearson: distance('pearson'),
    spearman: distance('spearman'),
    correlation_ratio: distance('correlation_ratio'),
    cramers_v: distance('cramers_v'),
    association_strength: accuracy('association_strength'),
    columns: names.map((name, at) => columnFidelity(name, at < measured.columns.numeric.length, parts, at)),
    // Set later from all rows (`pipeline/deliver`), since gaps of few rows are chance.
    largest_gaps: [],
    columns_left_out: measured.leftOut,
  };
};

interface FigureKind {
  /** Reports one minus the distance. */
  isAccuracy: boolean;
  /** True if the table may have been made from these rows. */
  isSeen: boolean;
}

function distanceFigure(
  name: DistanceName,
  parts: readonly ComparedPart[],
  { isAccuracy, isSeen }: FigureKind,
): MeasuredFigure {
  const of = (made: Made) => meanDefined(parts.map((part) => part.made[made][name]));
  const real = parts.flatMap((part) => part.real.flatMap((distances) => distances[name] ?? []));
  const held = meanDefined(parts.flatMap((part) => part.real.slice(0, 1).map((distances) => distances[name])));
  const [{ compared, reference }] = [parts[0]!];
  const chance = chanceOf(name, parts, real);
  // Models may lack the sampling error of compared rows, but not of unseen ones.
  const band: RealBand = { distances: real, compared: reference, reference: compared, chance };
  const value = of('synthetic');
  const interval = bandInterval(value, band);
  const verdict: Verdict | null = judgeDistance(value, band);
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
    verdict: isSeen && verdict === 'suspiciously better' ? 'as good' : verdict,
  });
}

/** Fresh samples of small tables exceed the largest redrawn gap once in twenty times. */
const TIMES_THE_LARGEST = 2;

function chanceOf(name: DistanceName, parts: readonly ComparedPart[], real: readonly number[]): number {
  if (name === 'missingness') return meanDefined(parts.map((part) => part.missingnessByChance)) ?? 0;
  return name === 'association_strength' ? TIMES_THE_LARGEST * Math.max(0, ...real) : 0;
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
    reason: isTooLarge ? 'the numbers are too large for the Wasserstein distance' : (reasons[0] ?? null),
  };
}
