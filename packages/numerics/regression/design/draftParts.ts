import { takeNumbers } from '../../rows.ts';
import { applyLeaves, type BoostedTrees, fitBoostedTrees } from '../../trees/boostedTrees.ts';
import { featureTable, takePredictors } from './applyDesign.ts';
import { HALVES, type Half } from './crossFit.ts';
import {
  type CategoryPredictor,
  type Draft,
  isLevel,
  type LevelPart,
  type NumberPart,
  type NumericPredictor,
  type Predictor,
  type TreeFeature,
  UNSEEN,
} from './design.ts';
import { fitNumberScale, standardise } from './numberScale.ts';
import { fitSplineBasis, splineSize } from './splineBasis.ts';

const MIN_ROWS = 5;

/** @param mostKnots no spline if below 3. */
export function draftNumber(draft: Draft, { name, values }: NumericPredictor, mostKnots: number): void {
  const present = values.filter(Number.isFinite);
  const scale = fitNumberScale(values) ?? null;
  const missing = values.length - present.length;
  const part: NumberPart = { kind: 'number', name, scale, slope: -1, missing: -1, spline: null, splineColumns: [] };
  if (scale) {
    const perUnit = scale.sd * scale.unit;
    part.slope = draft.addColumn(name, Number.isFinite(perUnit) ? perUnit : null);
    const spline =
      mostKnots >= 3
        ? fitSplineBasis(
            present.map((value) => standardise(scale, value)),
            mostKnots,
          )
        : undefined;
    if (spline) {
      part.spline = spline;
      part.splineColumns = Array.from({ length: splineSize(spline) }, (_, k) =>
        draft.addColumn(`${name} spline ${k + 1}`, null),
      );
      draft.addPool(`spline of ${name}`, part.splineColumns, 1);
    }
  } else draft.drop(name, present.length === 0 ? 'every cell is missing' : 'all its values are equal');
  if (missing > 0) {
    if (Math.min(missing, present.length) >= MIN_ROWS) part.missing = draft.addColumn(`${name} is missing`, null);
    else if (present.length > 0) draft.drop(`${name} is missing`, `fewer than ${MIN_ROWS} rows differ in it`);
  }
  draft.parts.push(part);
}

// Pools effects of four or more levels, or if one is rare; unseen levels take the pool's mean, 0. Two or three
// well-filled levels cannot estimate a scale.

/** Fewer groups cannot estimate a scale (Gelman 2006). */
const MIN_POOLED = 4;

export const MIN_LEVEL_ROWS = 5;

export interface LevelCount {
  code: number;
  rows: number;
}

/** By descending frequency. */
export function countLevels({ codes, levels }: CategoryPredictor): LevelCount[] {
  const counts = new Float64Array(levels.length + 1);
  for (const code of codes) counts[isLevel(code, levels.length) ? code : levels.length]!++;
  return Array.from(counts, (rows, code) => ({ code: code < levels.length ? code : -1, rows }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => b.rows - a.rows || a.code - b.code);
}

/** @param room maximum levels with their own effects. */
export function draftLevels(draft: Draft, predictor: CategoryPredictor, room: number): void {
  const counts = countLevels(predictor);
  if (counts.length < 2) {
    draft.drop(predictor.name, counts[0]?.code === -1 ? 'every cell is missing' : 'all its values are equal');
    return;
  }
  if (room < 1) {
    draft.drop(predictor.name, 'there is no room for its levels');
    return;
  }
  const isPooled = counts.length >= MIN_POOLED || counts.some(({ rows }) => rows < MIN_LEVEL_ROWS);
  draft.parts.push(isPooled ? pooled(draft, predictor, counts, room) : againstLargest(draft, predictor, counts));
}

function pooled(draft: Draft, predictor: CategoryPredictor, counts: LevelCount[], room: number): LevelPart {
  const part = emptyPart(predictor);
  const kept = counts.filter(({ rows }) => rows >= MIN_LEVEL_ROWS).slice(0, room);
  const columns = kept.map(({ code }) => setColumn(part, code, draft.addColumn(levelName(predictor, code), null)));
  if (kept.length < counts.length) {
    const others = counts.slice(kept.length);
    const name = others.length === 1 ? levelName(predictor, others[0]!.code) : `${predictor.name} is a rare level`;
    const column = draft.addColumn(name, null);
    for (const { code } of others) setColumn(part, code, column);
    columns.push(column);
  }
  draft.addPool(`levels of ${predictor.name}`, columns, 1);
  return part;
}

function againstLargest(draft: Draft, predictor: CategoryPredictor, counts: LevelCount[]): LevelPart {
  const part = emptyPart(predictor);
  for (const { code, rows } of counts.slice(1)) {
    const column = setColumn(part, code, draft.addColumn(levelName(predictor, code), 1));
    part.unseen.places.push(column);
    part.unseen.shares.push(rows / predictor.codes.length);
  }
  // The baseline is not unseen, so its index is -1.
  setColumn(part, counts[0]!.code, -1);
  return part;
}

const emptyPart = ({ name, levels }: CategoryPredictor): LevelPart => ({
  kind: 'levels',
  name,
  levels: [...levels],
  places: levels.map(() => UNSEEN),
  missing: UNSEEN,
  unseen: { places: [], shares: [] },
});

function setColumn(part: LevelPart, code: number, column: number): number {
  if (code < 0) part.missing = column;
  else part.places[code] = column;
  return column;
}

export const levelName = ({ name, levels }: CategoryPredictor, code: number): string =>
  code < 0 ? `${name} is missing` : `${name} = ${levels[code]}`;

// Leaves of small boosted trees as indicators (rule ensembles: Friedman and Popescu 2008), with shrunk coefficients.

export interface LeafSettings {
  trees: number;
  maxLeaves: number;
  maxDepth: number;
  minLeafRows: number;
  learningRate: number;
}

interface LeafResponse {
  response: Float64Array;
  halves: Uint8Array | null;
}

export function draftLeaves(
  draft: Draft,
  predictors: readonly Predictor[],
  { response, halves }: LeafResponse,
  settings: LeafSettings,
): void {
  const common = predictors.map((predictor) => withoutRare(predictor, settings.minLeafRows));
  const all = Int32Array.from(response.keys());
  if (!halves) draftGrove(draft, grow(common, response, all, settings), null);
  else {
    const grown = HALVES.map((half) => {
      const rows = all.filter((row) => halves[row] === half);
      return grow(common, response, rows, { ...settings, trees: Math.ceil(settings.trees / HALVES.length) });
    });
    for (const half of HALVES) draftGrove(draft, grown[half]!, half);
  }
}

interface Grove {
  features: TreeFeature[];
  trees: BoostedTrees;
  leaves: Int32Array[];
}

function grow(
  predictors: readonly Predictor[],
  response: Float64Array,
  rows: Int32Array,
  { trees: iterations, maxLeaves, maxDepth, minLeafRows, learningRate }: LeafSettings,
): Grove {
  const features = featuresOf(predictors);
  const table = featureTable(features, takePredictors(predictors, rows), rows.length);
  const settings = { iterations, maxLeaves, maxDepth, minLeafRows, learningRate };
  const trees = fitBoostedTrees(table, takeNumbers(response, rows), settings);
  return { features, trees, leaves: applyLeaves(trees, featureTable(features, predictors, response.length)) };
}

function draftGrove(draft: Draft, { features, trees, leaves }: Grove, half: Half | null): void {
  if (trees.trees.length === 0) return;
  const before = draft.parts.reduce((sum, part) => sum + (part.kind === 'leaves' ? part.trees.trees.length : 0), 0);
  const columns: number[] = [];
  const places = leaves.map((own, t) => {
    const largest = largestLeaf(own, trees.trees[t]!.leaves);
    return Array.from({ length: trees.trees[t]!.leaves }, (_, leaf) => {
      if (leaf === largest) return -1;
      const column = draft.addColumn(`tree ${before + t + 1} leaf ${leaf + 1}`, null);
      columns.push(column);
      return column;
    });
  });
  // Each row has one leaf per tree, so the sum has the pool's scale.
  draft.addPool('leaves of trees', columns, 1 / Math.sqrt(trees.trees.length));
  draft.parts.push({ kind: 'leaves', half, features, trees, places });
}

/** Mean responses of rare levels are noise: treat them as missing. */
function withoutRare(predictor: Predictor, leastRows: number): Predictor {
  if (predictor.kind === 'numeric') return predictor;
  const rare = new Set(countLevels(predictor).flatMap(({ code, rows }) => (rows < leastRows ? [code] : [])));
  return rare.size === 0
    ? predictor
    : { ...predictor, codes: predictor.codes.map((code) => (rare.has(code) ? -1 : code)) };
}

function largestLeaf(leaves: Int32Array, count: number): number {
  const rows = new Int32Array(count);
  for (const leaf of leaves) rows[leaf]!++;
  return rows.indexOf(Math.max(...rows));
}

export const featuresOf = (predictors: readonly Predictor[]): TreeFeature[] =>
  predictors.map((predictor) => ({
    name: predictor.name,
    levels: predictor.kind === 'category' ? [...predictor.levels] : null,
  }));
