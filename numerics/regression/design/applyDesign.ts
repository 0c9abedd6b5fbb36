/** The matrix of a learnt design for given predictors. */
import type { Matrix } from '../spec.ts';
import type { Design, Part } from './design.ts';
import { fillRows, type RowFiller } from './fillRows.ts';
import { leafFiller } from './leafPart.ts';
import { levelFiller } from './levelPart.ts';
import { numberFiller } from './numberPart.ts';
import { categoryNamed, numericNamed, type Predictor, requirePredictors } from './predictors.ts';

/**
 * n × p, sparse where most entries are zero; no entry is NaN or infinite. Predictors are found by name, levels by their
 * text; others than the design's are ignored.
 * Throws RangeError where one of the design's is not there, is of another kind, or has not n rows.
 */
export function applyDesign(
  design: Pick<Design, 'columns' | 'parts'>,
  predictors: readonly Predictor[],
  n: number,
): Matrix {
  requirePredictors(predictors, n);
  const fillers = design.parts.map((part) => fillerOf(part, predictors, n));
  return fillRows(fillers, n, design.columns.length);
}

function fillerOf(part: Part, predictors: readonly Predictor[], n: number): RowFiller {
  if (part.kind === 'number') return numberFiller(part, numericNamed(predictors, part.name));
  if (part.kind === 'levels') return levelFiller(part, categoryNamed(predictors, part.name));
  return leafFiller(part, predictors, n);
}
