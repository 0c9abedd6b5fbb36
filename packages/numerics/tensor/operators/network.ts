/** N rows, V vocabulary, D width. */
import { apply, applyOne, constant, numberOf, type Operator, type Signature, type Tensor } from '../graph.ts';
import { divide, equal, exp, multiply, subtract } from './elementwise.ts';
import { reshape, sum } from './shapes.ts';

const sameShape = ([x]: readonly Signature[]): Signature[] => [{ shape: x!.shape, type: 'float' }];
const lastAxis = ({ shape }: Tensor): number[] => [shape.length - 1];

const softmaxOperator: Operator<'softmax'> = {
  name: 'softmax',
  infer: sameShape,
  gradient: ({ outputs: [p], outputGradients: [g] }) => {
    const weighted = multiply(g!, p!);
    return [subtract(weighted, multiply(p!, sum(weighted, lastAxis(p!))))];
  },
};
/** Along the last axis. */
export const softmax = (x: Tensor): Tensor => applyOne(softmaxOperator, [x]);

const logSoftmaxOperator: Operator<'logSoftmax'> = {
  name: 'logSoftmax',
  infer: sameShape,
  gradient: ({ outputs: [l], outputGradients: [g] }) => [subtract(g!, multiply(exp(l!), sum(g!, lastAxis(l!))))],
};
/** Along the last axis. */
export const logSoftmax = (x: Tensor): Tensor => applyOne(logSoftmaxOperator, [x]);

const pickOperator: Operator<'pick'> = {
  name: 'pick',
  infer: ([x]) => [{ shape: [x!.shape[0]!, 1], type: 'float' }],
  gradient: ({ inputs: [x, index], outputGradients: [g] }) => [multiply(g!, oneHot(index!, x!.shape[1]!)), null],
};
/** [N, V] and ints [N] to [N, 1]. */
export const pick = (x: Tensor, index: Tensor): Tensor => applyOne(pickOperator, [x, index]);

/** Ints [N] to one-hot [N, depth]. */
export function oneHot(index: Tensor, depth: number): Tensor {
  const places = constant(
    index.graph,
    Int32Array.from({ length: depth }, (_, k) => k),
    [1, depth],
  );
  return equal(reshape(index, [index.shape[0]!, 1]), places);
}

const gatherRowsOperator: Operator<'gatherRows'> = {
  name: 'gatherRows',
  infer: ([table, index]) => [{ shape: [index!.shape[0]!, table!.shape[1]!], type: 'float' }],
  gradient: ({ inputs: [table, index], outputGradients: [g] }) => [scatterRows(g!, index!, table!.shape[0]!), null],
};
/** [V, D] and ints [N] to [N, D]. */
export const gatherRows = (table: Tensor, index: Tensor): Tensor => applyOne(gatherRowsOperator, [table, index]);

const scatterRowsOperator: Operator<'scatterRows'> = {
  name: 'scatterRows',
  infer: ([rows], attributes) => [{ shape: [numberOf(attributes, 'depth'), rows!.shape[1]!], type: 'float' }],
  gradient: ({ inputs: [, index], outputGradients: [g] }) => [gatherRows(g!, index!), null],
};
/** Sums rows: [N, D] and ints [N] to [depth, D]. */
export const scatterRows = (rows: Tensor, index: Tensor, depth: number): Tensor =>
  applyOne(scatterRowsOperator, [rows, index], { depth });

const rmsNormOperator: Operator<'rmsNorm'> = {
  name: 'rmsNorm',
  infer: ([x]) => [
    { shape: x!.shape, type: 'float' },
    { shape: [x!.shape[0]!, 1], type: 'float' },
  ],
  gradient: ({ inputs: [x, gain], outputs: [, inverse], outputGradients: [g], isAsked }) => {
    const unit = multiply(x!, inverse!);
    const own = isAsked[1] ? reshape(sum(multiply(g!, unit), [0]), gain!.shape) : null;
    const inner = multiply(g!, gain!);
    const shared = sum(multiply(inner, unit), [1]);
    const width = constant(x!.graph, Float32Array.of(x!.shape[1]!), []);
    return [multiply(subtract(inner, multiply(unit, divide(shared, width))), inverse!), own];
  },
};
/** x / sqrt(mean(x²) + epsilon) · gain along the last axis (Zhang and Sennrich 2019): [N, D] and [D] to [N, D]. */
export const rmsNorm = (x: Tensor, gain: Tensor, epsilon: number): Tensor =>
  apply(rmsNormOperator, [x, gain], { epsilon })[0]!;
