/** Finds codes: their level predicts other columns, their order does not. */
import type { ColumnProfile, Relation } from '../../contract/columns.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { shuffledRows } from '../../numerics/random/draws.ts';
import { fallsOff } from './detectColumn.ts';
import { tokensOf } from './nameTokens.ts';
import { ranksOf, type SampledFeature } from './sampleFeatures.ts';

const MIN_LEVELS = 4;
const MAX_LEVELS = 60;
const ROWS_PER_LEVEL = 10;
/** The order of these always matters. */
const QUANTITY =
  /^(age|year|month|week|day|hour|minute|second|years|months|weeks|days|hours|minutes|seconds|time|count|counts|cnt|num|number|no|n|qty|quantity|total|size|length|width|height|depth|weight|score|rating|points|stars|grade|level|rank|percent|pct|amount|rooms|bedrooms|bathrooms|floors|children|persons|people|passengers|visits|items|units)$/;
/** These need only an uninformative order. */
const CODE =
  /^(code|codes|type|types|class|region|zone|category|group|cluster|browser|system|systems|os|channel|source|segment|sector|district|area|department|dept|store|shop|branch|station|route|vendor|brand|status)$/;

/** Random orders to compare with; maximum share as smooth as the real one. */
const ORDERS = 299;
const SMOOTH = 0.05;
const MIN_DIFFERENCE = 5;

/** Returns the names of code columns. Related columns do not serve as evidence. */
export function findCodes(features: readonly SampledFeature[], relations: readonly Relation[]): Set<string> {
  const random = createStream(1, 'codes');
  const found = features.filter(({ column, feature }) => {
    if (!mayBeCode(column) || feature.kind !== 'numeric') return false;
    const others = features.filter((other) => other.column !== column && !saysTheSame(other.column, column, relations));
    const means = others.flatMap((other) => witnessesOf(other).flatMap((values) => levelMeans(feature.values, values)));
    if (means.length === 0) return tokensOf(column.name).some((token) => CODE.test(token));
    return shareAsSmooth(means, random.child(column.name)) > SMOOTH;
  });
  return new Set(found.map(({ column }) => column.name));
}

function mayBeCode(column: ColumnProfile): boolean {
  const { kind, format, numbers, distinct, distinct_exact, top_levels, name, suggested_role } = column;
  if (kind !== 'continuous' || suggested_role !== 'continuous' || !distinct_exact || format?.kind !== 'plain')
    return false;
  const { integer, min, max } = format.format;
  const isSmall =
    distinct >= MIN_LEVELS && distinct <= MAX_LEVELS && (numbers?.count ?? 0) >= ROWS_PER_LEVEL * distinct;
  const isDense = max - min + 1 <= 2 * distinct;
  if (!integer || min < 0 || !isSmall || !isDense || (min < 2 && fallsOff(top_levels))) return false;
  return !tokensOf(name).some((token) => QUANTITY.test(token));
}

const saysTheSame = (a: ColumnProfile, b: ColumnProfile, relations: readonly Relation[]): boolean =>
  relations.some(
    ({ kind, column, of }) =>
      (kind === 'copy' || kind === 'function' || kind === 'labels') &&
      ((column === a.name && of === b.name) || (column === b.name && of === a.name)),
  );

const MAX_INDICATORS = 5;

function witnessesOf({ feature }: SampledFeature): Float64Array[] {
  if (feature.kind === 'numeric') return [ranksOf(feature.values)];
  const count = Math.min(MAX_INDICATORS, feature.levels === 2 ? 1 : feature.levels);
  return Array.from({ length: count }, (_, level) =>
    Float64Array.from(feature.codes, (code) => (code < 0 ? Number.NaN : code === level ? 1 : 0)),
  );
}

/** Returns shrunk, centred means by level; none if they differ by chance. */
function levelMeans(levels: Float64Array, witness: Float64Array): number[][] {
  const groups = new Map<number, { rows: number; sum: number; squares: number }>();
  for (let row = 0; row < levels.length; row++) {
    const [level, value] = [levels[row]!, witness[row]!];
    if (Number.isNaN(level) || Number.isNaN(value)) continue;
    const group = groups.get(level) ?? { rows: 0, sum: 0, squares: 0 };
    group.rows++;
    group.sum += value;
    group.squares += value * value;
    groups.set(level, group);
  }
  const all = [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
  const rows = all.reduce((sum, group) => sum + group.rows, 0);
  const mean = all.reduce((sum, group) => sum + group.sum, 0) / rows;
  const within = all.reduce((sum, group) => sum + group.squares - group.sum ** 2 / group.rows, 0);
  const noise = within / Math.max(1, rows - all.length);
  const between = all.reduce((sum, group) => sum + group.rows * (group.sum / group.rows - mean) ** 2, 0);
  const freedom = all.length - 1;
  if (freedom < MIN_LEVELS - 1 || !(noise > 0) || between / noise - freedom < MIN_DIFFERENCE * Math.sqrt(2 * freedom))
    return [];
  const spread = rows - all.reduce((sum, group) => sum + group.rows ** 2, 0) / rows;
  const variance = (between - freedom * noise) / spread;
  return [all.map((group) => ((group.sum / group.rows - mean) * variance) / (variance + noise / group.rows))];
}

/** Share of random orders that are as smooth as the real one. */
function shareAsSmooth(means: readonly (readonly number[])[], random: ReturnType<typeof createStream>): number {
  const sizes = [...new Set(means.map(({ length }) => length))];
  let asSmooth = 0;
  const real = means.reduce((sum, each) => sum + roughness(each), 0);
  for (let i = 0; i < ORDERS; i++) {
    let sum = 0;
    for (const size of sizes) {
      const order = shuffledRows(size, random);
      for (const each of means) if (each.length === size) sum += roughness(each, order);
    }
    if (sum <= real) asSmooth++;
  }
  return (asSmooth + 1) / (ORDERS + 1);
}

/** Relative to the total sum of squares. */
function roughness(means: readonly number[], order?: Int32Array): number {
  const at = (i: number): number => means[order ? order[i]! : i]!;
  let steps = 0;
  let squares = at(0) ** 2;
  for (let i = 1; i < means.length; i++) {
    steps += (at(i) - at(i - 1)) ** 2;
    squares += at(i) ** 2;
  }
  return squares > 0 ? steps / squares : 0;
}
