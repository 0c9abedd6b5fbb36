/** Products of matrices, one or a batch of them. */
import { type Attributes, applyOne, type Operator, type Signature, showShape, type Tensor } from '../graph.ts';

interface Sides {
  transposeA: boolean;
  transposeB: boolean;
}

const sidesOf = (attributes: Attributes): Sides => ({
  transposeA: attributes.transposeA === true,
  transposeB: attributes.transposeB === true,
});

function infer([a, b]: readonly Signature[], attributes: Attributes): Signature[] {
  const { transposeA, transposeB } = sidesOf(attributes);
  const batch = a!.shape.slice(0, -2);
  const [m, k] = transposeA ? [a!.shape.at(-1)!, a!.shape.at(-2)!] : [a!.shape.at(-2)!, a!.shape.at(-1)!];
  const [l, n] = transposeB ? [b!.shape.at(-1)!, b!.shape.at(-2)!] : [b!.shape.at(-2)!, b!.shape.at(-1)!];
  const fits = a!.shape.length === b!.shape.length && batch.every((length, axis) => length === b!.shape[axis]);
  if (k !== l || !fits) throw new RangeError(`cannot multiply ${showShape(a!.shape)} by ${showShape(b!.shape)}`);
  return [{ shape: [...batch, m, n], type: 'float' }];
}

const operator: Operator<'matMul'> = {
  name: 'matMul',
  infer,
  gradient: ({ inputs: [a, b], attributes, outputGradients: [g], isAsked }) => {
    const { transposeA: tA, transposeB: tB } = sidesOf(attributes);
    const ofA = (): Tensor =>
      tA ? matMul(b!, g!, { transposeA: tB, transposeB: true }) : matMul(g!, b!, { transposeB: !tB });
    const ofB = (): Tensor =>
      tB ? matMul(g!, a!, { transposeA: true, transposeB: tA }) : matMul(a!, g!, { transposeA: !tA });
    return [isAsked[0] ? ofA() : null, isAsked[1] ? ofB() : null];
  },
};

/** A B of [.., m, k] and [.., k, n] with equal leading axes; each side may be taken transposed. */
export const matMul = (a: Tensor, b: Tensor, { transposeA = false, transposeB = false }: Partial<Sides> = {}): Tensor =>
  applyOne(operator, [a, b], { transposeA, transposeB });

const quantisedOperator: Operator<'quantisedMatMul'> = {
  name: 'quantisedMatMul',
  infer: ([x, levels, scales]) => {
    const [inputs, outputs] = levels!.shape;
    if (x!.shape.length !== 2 || x!.shape[1] !== inputs || scales!.shape[0] !== outputs) {
      throw new RangeError(`cannot multiply ${showShape(x!.shape)} by bytes ${showShape(levels!.shape)}`);
    }
    return [{ shape: [x!.shape[0]!, outputs!], type: 'float' }];
  },
};

/** The largest level of weights, and of what they are multiplied by. */
export const MAX_LEVEL = 127;
/** The least that counts as a row's largest value: a row of zeros gives zeros. */
export const MIN_PEAK = 1e-30;

/**
 * x W of [N, I] and of weights that stay: levels [I, O], bytes, and what a unit of each column counts for, [O]. Rows of x
 * are rounded to 1 / 127 of their own largest absolute value, so that none depends on the others. Nothing flows back.
 */
export const quantisedMatMul = (x: Tensor, levels: Tensor, scales: Tensor): Tensor =>
  applyOne(quantisedOperator, [x, levels, scales]);
