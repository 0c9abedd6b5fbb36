/** What the trees of a label see: the columns made before it, and where cells of the labels after it are missing. */
import { z } from 'zod';
import {
  applyBinning,
  binFeature,
  type Feature,
  type FeatureTable,
  takeFeatures,
  valueBins,
} from '../../../numerics/trees/features.ts';
import type { ModelTable } from '../model.ts';
import { orderedFeatures } from '../shared/boosting.ts';
import { countPairs, informationGain, levelCounts } from './columnOrder.ts';
import { featuresOf, type SeenColumn, seenColumnSchema } from './features.ts';

export const labelFeaturesSchema = z.object({
  /** Columns that the trees split on, in the order of their features. */
  given: z.array(seenColumnSchema),
  /** Labels drawn later, whose missing cells are there already: features after those. */
  gaps: z.array(z.string()).default([]),
});
export type LabelFeatures = z.infer<typeof labelFeaturesSchema>;

export function featuresOfLabel({ given, gaps }: LabelFeatures, table: ModelTable): FeatureTable {
  const { features } = orderedFeatures(given, featuresOf(given, table));
  return { rows: table.rows, features: [...features, ...gaps.map((name) => gapsOf(name, table))] };
}

/** 1 where the cell is missing; nowhere in rows that do not have the column yet. */
function gapsOf(name: string, table: ModelTable): Feature {
  const column = table.columns.get(name);
  const values = new Float64Array(table.rows);
  if (column?.kind === 'category')
    for (let row = 0; row < table.rows; row++) values[row] = Number(column.codes[row]! < 0);
  return { kind: 'numeric', values };
}

/** Columns that trees are given. */
const MAX_FEATURES = 40;
/** Rows that say which those are, at most, and bins of a number. */
const MAX_ROWS = 5_000;
const BINS = 16;

/** Those most informative of the classes (one a row), where there are more than trees are given. */
export function chooseGiven(seen: readonly SeenColumn[], classes: Int32Array, table: ModelTable): SeenColumn[] {
  if (seen.length <= MAX_FEATURES) return [...seen];
  const every = Math.ceil(table.rows / MAX_ROWS);
  const rows = Int32Array.from({ length: Math.floor(table.rows / every) }, (_, i) => i * every);
  const own = rows.map((row) => classes[row]!);
  const { features } = takeFeatures(featuresOf(seen, table), rows);
  const gains = features.map((feature) => gainOf(feature, own));
  const best = [...seen.keys()].sort((a, b) => gains[b]! - gains[a]! || a - b).slice(0, MAX_FEATURES);
  return best.sort((a, b) => a - b).map((at) => seen[at]!);
}

/** The information of a column on the classes, in nats a row. */
function gainOf(feature: Feature, classes: Int32Array): number {
  const bins = binFeature(feature, Float64Array.from(classes), feature.kind === 'numeric' ? BINS : undefined);
  const [column] = applyBinning([bins], { rows: classes.length, features: [feature] });
  const kinds = classes.reduce((most, one) => Math.max(most, one), 0) + 1;
  const table = countPairs(Int32Array.from(column!), valueBins(bins) + 1, classes, kinds);
  return informationGain(table, levelCounts(classes, kinds), classes.length);
}
