/** Features of a label: earlier columns, and missing cells of later labels. */
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
  given: z.array(seenColumnSchema),
  /** Later labels whose missing cells are features. */
  gaps: z.array(z.string()).default([]),
});
export type LabelFeatures = z.infer<typeof labelFeaturesSchema>;

export function featuresOfLabel({ given, gaps }: LabelFeatures, table: ModelTable): FeatureTable {
  const { features } = orderedFeatures(given, featuresOf(given, table));
  return { rows: table.rows, features: [...features, ...gaps.map((name) => gapsOf(name, table))] };
}

function gapsOf(name: string, table: ModelTable): Feature {
  const column = table.columns.get(name);
  const values = new Float64Array(table.rows);
  if (column?.kind === 'category')
    for (let row = 0; row < table.rows; row++) values[row] = Number(column.codes[row]! < 0);
  return { kind: 'numeric', values };
}

const MAX_FEATURES = 40;
const MAX_ROWS = 5_000;
const BINS = 16;

/** Returns the columns most informative of the classes (n). */
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

function gainOf(feature: Feature, classes: Int32Array): number {
  const bins = binFeature(feature, Float64Array.from(classes), feature.kind === 'numeric' ? BINS : undefined);
  const [column] = applyBinning([bins], { rows: classes.length, features: [feature] });
  const kinds = classes.reduce((most, one) => Math.max(most, one), 0) + 1;
  const table = countPairs(Int32Array.from(column!), valueBins(bins) + 1, classes, kinds);
  return informationGain(table, levelCounts(classes, kinds), classes.length);
}
