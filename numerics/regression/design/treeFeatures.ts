/** Predictors as trees take them. */
import type { Feature, FeatureTable } from '../../trees/features.ts';
import type { TreeFeature } from './design.ts';
import { categoryNamed, numericNamed, type Predictor } from './predictors.ts';

export const featuresOf = (predictors: readonly Predictor[]): TreeFeature[] =>
  predictors.map((predictor) => ({
    name: predictor.name,
    levels: predictor.kind === 'category' ? [...predictor.levels] : null,
  }));

/** n rows. A missing cell of a category is a level of its own; a level that is not among the features' is a missing cell. */
export function featureTable(
  features: readonly TreeFeature[],
  predictors: readonly Predictor[],
  n: number,
): FeatureTable {
  return {
    rows: n,
    features: features.map(({ name, levels }): Feature => {
      if (!levels) return { kind: 'numeric', values: numericNamed(predictors, name).values };
      const predictor = categoryNamed(predictors, name);
      const codeOf = new Map(levels.map((level, code) => [level, code]));
      const codes = predictor.levels.map((level) => codeOf.get(level) ?? -1);
      const missing = levels.length;
      return { kind: 'category', codes: predictor.codes.map((code) => codes[code] ?? missing), levels: missing + 1 };
    }),
  };
}
