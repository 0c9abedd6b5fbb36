import { takeInto, takeNumbers } from '../rows.ts';
import { firstAtLeast } from '../search.ts';

/** Nonfinite values are missing. */
export interface NumericFeature {
  kind: 'numeric';
  values: Float64Array;
}

/** Codes outside 0 … levels-1 are missing. */
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

function requireEqualLengths(table: FeatureTable): void {
  for (const [index, feature] of table.features.entries()) {
    const length = feature.kind === 'numeric' ? feature.values.length : feature.codes.length;
    if (length !== table.rows) throw new RangeError(`feature ${index} has ${length} rows, the table ${table.rows}`);
  }
}

export function takeFeatures({ features }: FeatureTable, rows: Int32Array): FeatureTable {
  const taken = features.map((feature): Feature => {
    if (feature.kind === 'category')
      return { ...feature, codes: takeInto(new Int32Array(rows.length), feature.codes, rows) };
    return { kind: 'numeric', values: takeNumbers(feature.values, rows) };
  });
  return { rows: rows.length, features: taken };
}

// Bins take one byte per cell. Levels are ordered by mean target (optimal for squared loss: Fisher 1958), shrunk so
// rare ones do not lead by chance.

/** With missing cells, bins fill a byte. */
export const MAX_BINS = 255;

/** Shrinkage of level means, in rows. */
const SHRINKAGE_ROWS = 10;

/** Plain JSON: bin b has cuts[b-1] < v ≤ cuts[b]. */
export interface NumericBins {
  kind: 'numeric';
  cuts: number[];
}

/** -1 for levels unseen in the fit. */
export interface CategoryBins {
  kind: 'category';
  binOfLevel: number[];
  bins: number;
}

export type FeatureBins = NumericBins | CategoryBins;

/** Also the index of the missing bin. */
export const valueBins = (bins: FeatureBins): number => (bins.kind === 'numeric' ? bins.cuts.length + 1 : bins.bins);

export interface BinnedFeature {
  bins: FeatureBins;
  column: Uint8Array;
}

/** Null for categories. */
export const binNumbersOf = ({ features }: FeatureTable, maxBins = MAX_BINS): (BinnedFeature | null)[] =>
  features.map((feature) => {
    if (feature.kind === 'category') return null;
    const bins = binNumbers(feature, maxBins);
    return { bins, column: numberBins(bins.cuts, feature.values) };
  });

/**
 * Throws a RangeError for different lengths.
 * @param target finite numbers that order levels.
 * @param maxBins 2 … 255.
 * @param known earlier bins by feature.
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

export function binFeature(feature: Feature, target: Float64Array, maxBins = MAX_BINS): FeatureBins {
  if (!(maxBins >= 2 && maxBins <= MAX_BINS)) throw new RangeError(`maxBins is ${maxBins}, not 2 to ${MAX_BINS}`);
  return feature.kind === 'numeric' ? binNumbers(feature, maxBins) : binLevels(feature, target, maxBins);
}

/** Throws a RangeError for features unlike the fit's. */
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

const MANY_VALUES = 4_096;
const PARTS = 1_024;

/** As `firstAtLeast`, by a guide table (Chen and Asau 1974). */
export function guidedSearch(cuts: readonly number[]): (value: number) => number {
  const sorted = Float64Array.from(cuts);
  const [low = 0, high = 0] = [cuts[0], cuts.at(-1)];
  const perUnit = (PARTS - 1) / (high - low);
  if (!(perUnit > 0 && perUnit < Number.POSITIVE_INFINITY)) return (value) => firstAtLeast(sorted, value);
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

/** Avoids overflow. */
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
    const next = seen.length <= maxBins ? quantile + 1 : Math.floor((rowsBefore / total) * maxBins);
    if (next > quantile) bin++;
    quantile = next;
    binOfLevel[level] = bin;
    rowsBefore += counts[level]!;
  }
  return { kind: 'category', binOfLevel, bins: Math.max(1, bin + 1) };
}

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
