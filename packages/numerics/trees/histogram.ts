/** Feature f has offsets[f] … offsets[f+1]-1, missing cells last. */
export interface Histogram {
  gradient: Float64Array;
  /** Aliases `rows` if all are 1. */
  hessian: Float64Array;
  rows: Float64Array;
}

/** Null hessian: all 1. */
export interface Derivatives {
  gradient: Float64Array;
  hessian: Float64Array | null;
}

export function createHistogram(bins: number, unitHessian: boolean): Histogram {
  const rows = new Float64Array(bins);
  return { gradient: new Float64Array(bins), hessian: unitHessian ? rows : new Float64Array(bins), rows };
}

export interface Gathered {
  gradient: Float64Array;
  hessian: Float64Array;
}

export function fillHistogram(
  histogram: Histogram,
  columns: readonly Uint8Array[],
  offsets: readonly number[],
  derivatives: Derivatives,
  order: Uint32Array,
  start: number,
  end: number,
  gathered: Gathered,
): void {
  histogram.gradient.fill(0);
  histogram.hessian.fill(0);
  histogram.rows.fill(0);
  const size = end - start;
  for (let i = 0; i < size; i++) gathered.gradient[i] = derivatives.gradient[order[start + i]!]!;
  if (derivatives.hessian) {
    for (let i = 0; i < size; i++) gathered.hessian[i] = derivatives.hessian[order[start + i]!]!;
  }
  for (let feature = 0; feature < columns.length; feature++) {
    const column = columns[feature]!;
    const offset = offsets[feature]!;
    if (derivatives.hessian) addFeature(histogram, column, offset, order, start, size, gathered);
    else addUnitFeature(histogram, column, offset, order, start, size, gathered);
  }
}

function addUnitFeature(
  { gradient, rows }: Histogram,
  column: Uint8Array,
  offset: number,
  order: Uint32Array,
  start: number,
  size: number,
  gathered: Gathered,
): void {
  const gradients = gathered.gradient;
  for (let i = 0; i < size; i++) {
    const at = offset + column[order[start + i]!]!;
    gradient[at]! += gradients[i]!;
    rows[at]!++;
  }
}

function addFeature(
  { gradient, hessian, rows }: Histogram,
  column: Uint8Array,
  offset: number,
  order: Uint32Array,
  start: number,
  size: number,
  gathered: Gathered,
): void {
  const gradients = gathered.gradient;
  const hessians = gathered.hessian;
  for (let i = 0; i < size; i++) {
    const at = offset + column[order[start + i]!]!;
    gradient[at]! += gradients[i]!;
    hessian[at]! += hessians[i]!;
    rows[at]!++;
  }
}

/** Overwrites the parent with the sibling. */
export function subtractHistogram(parent: Histogram, child: Histogram): void {
  subtract(parent.gradient, child.gradient);
  subtract(parent.rows, child.rows);
  if (parent.hessian !== parent.rows) subtract(parent.hessian, child.hessian);
}

function subtract(from: Float64Array, what: Float64Array): void {
  for (let i = 0; i < from.length; i++) from[i]! -= what[i]!;
}
