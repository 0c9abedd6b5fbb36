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

/** [.., m, k] × [.., k, n] after optional transposition. */
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

/** Maximum absolute level. */
export const MAX_LEVEL = 127;
/** Ensures that zero rows give zeros. */
export const MIN_PEAK = 1e-30;

/**
 * x W for x [N, I], byte levels [I, O] and column scales [O]. Each row is rounded to 1 / 127 of its own maximum. Not
 * differentiable.
 */
export const quantisedMatMul = (x: Tensor, levels: Tensor, scales: Tensor): Tensor =>
  applyOne(quantisedOperator, [x, levels, scales]);
