/** What a design is learnt from and applied to: columns of numbers and of levels, of equal length. n = rows. */

/** NaN is a missing cell, and so is an infinite one. */
export interface NumericPredictor {
  kind: 'numeric';
  name: string;
  values: Float64Array;
}

/** Codes point into `levels`; any code outside of them (-1) is a missing cell. */
export interface CategoryPredictor {
  kind: 'category';
  name: string;
  codes: Int32Array;
  levels: readonly string[];
}

export type Predictor = NumericPredictor | CategoryPredictor;

/** Throws RangeError where a column has not n rows, or a name comes twice. */
export function requirePredictors(predictors: readonly Predictor[], n: number): void {
  const names = new Set<string>();
  for (const predictor of predictors) {
    const length = predictor.kind === 'numeric' ? predictor.values.length : predictor.codes.length;
    if (length !== n) {
      throw new RangeError(`predictor ${JSON.stringify(predictor.name)} has ${length} rows, there are ${n}`);
    }
    if (names.has(predictor.name)) {
      throw new RangeError(`two predictors are named ${JSON.stringify(predictor.name)}: rename one of them`);
    }
    names.add(predictor.name);
  }
}

/** The given rows of every predictor. */
export function takePredictors(predictors: readonly Predictor[], rows: Int32Array): Predictor[] {
  return predictors.map((predictor) =>
    predictor.kind === 'numeric'
      ? { ...predictor, values: Float64Array.from(rows, (row) => predictor.values[row]!) }
      : { ...predictor, codes: Int32Array.from(rows, (row) => predictor.codes[row]!) },
  );
}

/** The predictor of a name and kind. Throws RangeError where there is none. */
export function numericNamed(predictors: readonly Predictor[], name: string): NumericPredictor {
  const found = predictors.find((predictor) => predictor.name === name);
  if (found?.kind === 'numeric') return found;
  throw new RangeError(mismatch(name, found, 'numeric'));
}

export function categoryNamed(predictors: readonly Predictor[], name: string): CategoryPredictor {
  const found = predictors.find((predictor) => predictor.name === name);
  if (found?.kind === 'category') return found;
  throw new RangeError(mismatch(name, found, 'category'));
}

function mismatch(name: string, found: Predictor | undefined, kind: Predictor['kind']): string {
  const is = found ? `is ${found.kind}` : 'is not there';
  return `the design was learnt with a ${kind} predictor ${JSON.stringify(name)}, which ${is} now`;
}
