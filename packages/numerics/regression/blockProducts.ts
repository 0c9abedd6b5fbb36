import { addTransposed, multiplyRows } from './designProducts.ts';
import { BLOCK } from './packed/designKernels.ts';
import type { BlockProducts, OpenedDesign } from './packed/openDesign.ts';
import type { Matrix } from './spec.ts';

export type Factor = Matrix | OpenedDesign;

export const productsOf = (x: Factor): BlockProducts => (x.kind === 'packed' ? x.products : matrixProducts(x));

function matrixProducts(x: Matrix): BlockProducts {
  const [eta, d, sums] = [new Float64Array(BLOCK), new Float64Array(BLOCK), new Float64Array(x.cols)];
  const coefficients = new Float64Array(x.cols);
  return {
    eta,
    d,
    begin(theta, at) {
      for (let j = 0; j < x.cols; j++) coefficients[j] = theta[at + j]!;
      sums.fill(0);
    },
    multiply: (from, count) => multiplyRows(x, from, count, coefficients, 0, eta),
    addTransposed: (from, count) => addTransposed(x, from, count, d, sums, 0),
    finish(target, at) {
      for (let j = 0; j < x.cols; j++) target[at + j]! += sums[j]!;
    },
  };
}
