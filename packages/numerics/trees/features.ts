/** What trees are grown from: columns of numbers and of category codes, of equal length, and their bins. */
import { takeInto, takeNumbers } from '../rows.ts';
import { firstAtLeast } from '../search.ts';

/** Numbers; NaN (and any other value that is not finite) is a missing cell. */
export interface NumericFeature {
  kind: 'numeric';
  values: Float64Array;
}

/** Codes 0 … levels-1; any other code (-1, or a level that the fit never saw) is a missing cell. */
export interface CategoryFeature {
  kind: 'category';
  codes: Int32Array;
  levels: number;
}

export type Feature = NumericFeature | CategoryFeature;

export interface FeatureTable {
  rows: number;
  features: readonly Feature[];
}

/** Throws RangeError where a column's length is not the table's. */
function requireEqualLengths(table: FeatureTable): void {
  for (const [index, feature] of table.features.entries()) {
    const length = feature.kind === 'numeric' ? feature.values.length : feature.codes.length;
    if (length !== table.rows) throw new RangeError(`feature ${index} has ${length} rows, the table ${table.rows}`);
  }
}

/** The given rows of a table, in their order; a row may be named twice. */
export function takeFeatures({ features }: FeatureTable, rows: Int32Array): FeatureTable {
  const taken = features.map((feature): Feature => {
    if (feature.kind === 'category')
      return { ...feature, codes: takeInto(new Int32Array(rows.length), feature.codes, rows) };
    return { kind: 'numeric', values: takeNumbers(feature.values, rows) };
  });
  return { rows: rows.length, features: taken };
}

// Binning: every feature becomes at most 255 ordered bins and one more for missing cells, one byte a cell.
// Numbers are cut between distinct values, or at quantiles where there are too many of them. Levels of a category are
// ordered by their mean target (Fisher, 1958: for squared loss the best split of levels in two respects this order),
// shrunk towards the overall mean so that a rare level does not lead the order by chance.

/** Bins of values a feature may have, at most; the missing bin comes on top and the whole fits a byte. */
export const MAX_BINS = 255;

/** Rows' worth of the overall mean that a level's mean target is shrunk by. */
const SHRINKAGE_ROWS = 10;

/** A value v falls in bin #{cut < v}: bin b holds cuts[b-1] < v ≤ cuts[b]. Plain arrays, so that it is JSON as it is. */
export interface NumericBins {
  kind: 'numeric';
  cuts: number[];
}

/** Bin of each level, or -1 for a level that the fit never saw. */
export interface CategoryBins {
  kind: 'category';
  binOfLevel: number[];
  bins: number;
}

export type FeatureBins = NumericBins | CategoryBins;

/** Bins of values, the missing bin not counted: it is the bin of this index. */
export const valueBins = (bins: FeatureBins): number => (bins.kind === 'numeric' ? bins.cuts.length + 1 : bins.bins);

/** Bins of a feature, and that of each row. */
export interface BinnedFeature {
  bins: FeatureBins;
  column: Uint8Array;
}

/** The numbers of a table as they are binned whatever the target is; null for its categories. */
export const binNumbersOf = ({ features }: FeatureTable, maxBins = MAX_BINS): (BinnedFeature | null)[] =>
  features.map((feature) => {
    if (feature.kind === 'category') return null;
    const bins = binNumbers(feature, maxBins);
    return { bins, column: numberBins(bins.cuts, feature.values) };
  });

/**
 * Fits the bins of every feature. Throws RangeError where a column's length is not the table's.
 * @param target one finite number a row: orders the levels of categories and nothing else.
 * @param maxBins 2 … 255.
 * @param known by feature, those that were binned before.
 */
export function binTable(
  table: FeatureTable,
  target: Float64Array,
  maxBins = MAX_BINS,
  known: readonly (BinnedFeature | null)[] = [],
): BinnedFeature[] {
  requireEqualLengths(table);
  return table.features.map((feature, index) => {
    const own = known[index];
    if (own) return own;
    const bins = binFeature(feature, target, maxBins);
    return { bins, column: binsOf(bins, feature, index) };
  });
}

/** Fits the bins of one feature, as `binTable` does for all. */
export function binFeature(feature: Feature, target: Float64Array, maxBins = MAX_BINS): FeatureBins {
  if (!(maxBins >= 2 && maxBins <= MAX_BINS)) throw new RangeError(`maxBins is ${maxBins}, not 2 to ${MAX_BINS}`);
  return feature.kind === 'numeric' ? binNumbers(feature, maxBins) : binLevels(feature, target, maxBins);
}

/** Bytes of each feature, row by row. Throws RangeError where the features are of another kind than at the fit. */
export function applyBinning(binning: readonly FeatureBins[], table: FeatureTable): Uint8Array[] {
  requireEqualLengths(table);
  if (binning.length !== table.features.length) {
    throw new RangeError(`${table.features.length} features given, the fit had ${binning.length}`);
  }
  return table.features.map((feature, index) => binsOf(binning[index]!, feature, index));
}

function binsOf(bins: FeatureBins, feature: Feature, index: number): Uint8Array {
  if (bins.kind === 'category' && feature.kind === 'category') return levelBins(bins, feature.codes);
  if (bins.kind === 'numeric' && feature.kind === 'numeric') return numberBins(bins.cuts, feature.values);
  throw new RangeError(`feature ${index} is ${feature.kind}, at the fit it was ${bins.kind}`);
}

function numberBins(cuts: readonly number[], values: Float64Array): Uint8Array {
  const missing = cuts.length + 1;
  const find = values.length < MANY_VALUES ? searchOf(cuts) : guidedSearch(cuts);
  const out = new Uint8Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    out[row] = Number.isFinite(value) ? find(value) : missing;
  }
  return out;
}

function searchOf(cuts: readonly number[]): (value: number) => number {
  const sorted = Float64Array.from(cuts);
  return (value) => firstAtLeast(sorted, value);
}

/** Values from which on a guide is made for them. */
const MANY_VALUES = 4_096;
const PARTS = 1_024;

/** The index of the first cut that is at least a number, as `firstAtLeast`, from equal parts that know their cuts (Chen and Asau, 1974). */
export function guidedSearch(cuts: readonly number[]): (value: number) => number {
  const sorted = Float64Array.from(cuts);
  const [low = 0, high = 0] = [cuts[0], cuts.at(-1)];
  const perUnit = (PARTS - 1) / (high - low);
  if (!(perUnit > 0 && perUnit < Number.POSITIVE_INFINITY)) return (value) => firstAtLeast(sorted, value);
  // Rises with the value, so that a cut of an earlier part is below it.
  const partOf = (value: number): number => Math.min(PARTS - 1, Math.max(0, Math.floor((value - low) * perUnit)));
  const first = new Int32Array(PARTS + 1).fill(cuts.length);
  for (let k = cuts.length - 1; k >= 0; k--) first[partOf(sorted[k]!)] = k;
  for (let part = PARTS - 1; part >= 0; part--) first[part] = Math.min(first[part]!, first[part + 1]!);
  return (value) => {
    const part = partOf(value);
    return firstAtLeast(sorted, value, first[part]!, first[part + 1]!);
  };
}

function levelBins(bins: CategoryBins, codes: Int32Array): Uint8Array {
  const out = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const bin = bins.binOfLevel[codes[row]!] ?? -1;
    out[row] = bin < 0 ? bins.bins : bin;
  }
  return out;
}

function binNumbers(feature: NumericFeature, maxBins: number): NumericBins {
  const sorted = feature.values.filter(Number.isFinite).sort();
  const distinct = sorted.filter((value, index) => index === 0 || value !== sorted[index - 1]);
  const cuts: number[] = [];
  if (distinct.length <= maxBins) {
    for (let i = 1; i < distinct.length; i++) cuts.push(between(distinct[i - 1]!, distinct[i]!));
    return { kind: 'numeric', cuts };
  }
  for (let k = 1; k < maxBins; k++) {
    const at = (k / maxBins) * (sorted.length - 1);
    const cut = between(sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!);
    if (cuts.length === 0 || cut > cuts[cuts.length - 1]!) cuts.push(cut);
  }
  return { kind: 'numeric', cuts };
}

/** The midpoint, at least `low` and below `high` where they differ, without overflow at either end of the range. */
function between(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

function binLevels(feature: CategoryFeature, target: Float64Array, maxBins: number): CategoryBins {
  const { counts, scores } = scoreLevels(feature, target);
  const seen = [...counts.keys()].filter((level) => counts[level]! > 0);
  seen.sort((a, b) => scores[a]! - scores[b]! || a - b);
  const binOfLevel: number[] = new Array(feature.levels).fill(-1);
  const total = seen.reduce((sum, level) => sum + counts[level]!, 0);
  let bin = -1;
  let rowsBefore = 0;
  let quantile = -1;
  for (const level of seen) {
    // Too many levels: neighbours in the order share a bin where they share a quantile of rows.
    const next = seen.length <= maxBins ? quantile + 1 : Math.floor((rowsBefore / total) * maxBins);
    if (next > quantile) bin++;
    quantile = next;
    binOfLevel[level] = bin;
    rowsBefore += counts[level]!;
  }
  return { kind: 'category', binOfLevel, bins: Math.max(1, bin + 1) };
}

/** Rows of each level, and its shrunk mean target. */
function scoreLevels(feature: CategoryFeature, target: Float64Array): { counts: Float64Array; scores: Float64Array } {
  const counts = new Float64Array(feature.levels);
  const scores = new Float64Array(feature.levels);
  let sum = 0;
  for (let row = 0; row < target.length; row++) {
    sum += target[row]!;
    const code = feature.codes[row]!;
    if (code < 0 || code >= feature.levels) continue;
    counts[code]!++;
    scores[code]! += target[row]!;
  }
  const mean = target.length > 0 ? sum / target.length : 0;
  for (let level = 0; level < scores.length; level++) {
    scores[level] = (scores[level]! + SHRINKAGE_ROWS * mean) / (counts[level]! + SHRINKAGE_ROWS);
  }
  return { counts, scores };
}
