/** A case for every operator: how it is applied, and to inputs of which shapes. */
import {
  constant,
  type OperatorName,
  type Shape,
  sizeOf,
  type Tensor,
} from '../../../../packages/numerics/tensor/graph.ts';
import * as elementwise from '../../../../packages/numerics/tensor/operators/elementwise.ts';
import { matMul, quantisedMatMul } from '../../../../packages/numerics/tensor/operators/matrix.ts';
import * as network from '../../../../packages/numerics/tensor/operators/network.ts';
import * as shapes from '../../../../packages/numerics/tensor/operators/shapes.ts';

export interface OperatorCase {
  operator: OperatorName;
  title: string;
  /** Shapes of the float inputs, values around `centre` (0 unless told). */
  floats: Shape[];
  centre?: number;
  /** Ints, for indexes. */
  index?: number[];
  apply(floats: Tensor[], index: Tensor): Tensor[];
  /** False where nothing flows back. */
  hasGradient?: false;
}

const one =
  (of: (x: Tensor) => Tensor): OperatorCase['apply'] =>
  ([x]) => [of(x!)];
const two =
  (of: (a: Tensor, b: Tensor) => Tensor): OperatorCase['apply'] =>
  ([a, b]) => [of(a!, b!)];

const pairs: [OperatorName, (a: Tensor, b: Tensor) => Tensor][] = [
  ['add', elementwise.add],
  ['subtract', elementwise.subtract],
  ['multiply', elementwise.multiply],
  ['divide', elementwise.divide],
];
const singles: [OperatorName, (x: Tensor) => Tensor][] = [
  ['negate', elementwise.negate],
  ['exp', elementwise.exp],
  ['log', elementwise.log],
  ['sqrt', elementwise.sqrt],
  ['sigmoid', elementwise.sigmoid],
  ['silu', elementwise.silu],
  ['softmax', network.softmax],
  ['logSoftmax', network.logSoftmax],
];
const sides = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const;
const turned = (shape: Shape, isTurned: boolean): Shape =>
  isTurned ? [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!] : shape;

/** Bytes from one end of their range to the other. */
const bytes = ({ graph }: Tensor, shape: Shape): Tensor =>
  constant(
    graph,
    Int8Array.from({ length: sizeOf(shape) }, (_, k) => ((k * 89) % 255) - 127),
    shape,
  );

export const OPERATOR_CASES: OperatorCase[] = [
  ...pairs.flatMap(([operator, of]): OperatorCase[] => [
    {
      operator,
      title: `${operator} of equal shapes`,
      floats: [
        [2, 3],
        [2, 3],
      ],
      centre: 2,
      apply: two(of),
    },
    { operator, title: `${operator} with a row`, floats: [[2, 3], [3]], centre: 2, apply: two(of) },
    { operator, title: `${operator} of a column and a scalar`, floats: [[], [2, 1]], centre: 2, apply: two(of) },
  ]),
  ...singles.map(
    ([operator, of]): OperatorCase => ({ operator, title: operator, floats: [[3, 4]], centre: 2, apply: one(of) }),
  ),
  ...sides.flatMap(([tA, tB]): OperatorCase[] =>
    [[] as number[], [2, 2]].map((batch) => ({
      operator: 'matMul',
      title: `matMul of rank ${batch.length + 2}${tA ? ', first side transposed' : ''}${tB ? ', second side transposed' : ''}`,
      floats: [turned([...batch, 2, 3], tA), turned([...batch, 3, 4], tB)],
      apply: ([a, b]) => [matMul(a!, b!, { transposeA: tA, transposeB: tB })],
    })),
  ),
  {
    operator: 'quantisedMatMul',
    title: 'quantisedMatMul',
    floats: [[3, 4], [5]],
    apply: two((x, scales) => quantisedMatMul(x, bytes(x, [4, 5]), scales)),
    hasGradient: false,
  },
  {
    operator: 'quantisedMatMul',
    title: 'quantisedMatMul of a row of zeros, which another row does not change',
    floats: [[2, 4], [1]],
    apply: two((x, scales) => {
      const factors = constant(x.graph, Float32Array.of(1e4, 0), [2, 1]);
      return quantisedMatMul(elementwise.multiply(x, factors), bytes(x, [4, 1]), scales);
    }),
    hasGradient: false,
  },
  { operator: 'reshape', title: 'reshape', floats: [[2, 6]], apply: one((x) => shapes.reshape(x, [3, 2, 2])) },
  { operator: 'transpose', title: 'transpose', floats: [[2, 3, 4]], apply: one((x) => shapes.transpose(x, [2, 0, 1])) },
  { operator: 'sum', title: 'sum over two axes', floats: [[2, 3, 4]], apply: one((x) => shapes.sum(x, [0, 2])) },
  { operator: 'expand', title: 'expand', floats: [[2, 1]], apply: one((x) => shapes.expand(x, [2, 3])) },
  {
    operator: 'concat',
    title: 'concat',
    floats: [
      [2, 3],
      [2, 1],
    ],
    apply: two((a, b) => shapes.concat([a, b], 1)),
  },
  { operator: 'split', title: 'split, all parts used', floats: [[2, 5]], apply: ([x]) => shapes.split(x!, [2, 3], 1) },
  {
    operator: 'split',
    title: 'split, one part unused',
    floats: [[5]],
    apply: ([x]) => [shapes.split(x!, [1, 3, 1], 0)[1]!],
  },
  {
    operator: 'pick',
    title: 'pick',
    floats: [[3, 4]],
    index: [2, 0, 2],
    apply: ([x], index) => [network.pick(x!, index)],
  },
  {
    operator: 'gatherRows',
    title: 'gatherRows, one row twice',
    floats: [[4, 3]],
    index: [2, 0, 2],
    apply: ([x], index) => [network.gatherRows(x!, index)],
  },
  {
    operator: 'scatterRows',
    title: 'scatterRows, two rows into one',
    floats: [[3, 2]],
    index: [1, 3, 1],
    apply: ([x], index) => [network.scatterRows(x!, index, 5)],
  },
  {
    operator: 'rmsNorm',
    title: 'rmsNorm',
    floats: [[3, 4], [4]],
    apply: two((x, gain) => network.rmsNorm(x, gain, 1e-5)),
  },
  { operator: 'equal', title: 'equal', floats: [[2, 1], [2]], apply: two(elementwise.equal), hasGradient: false },
  {
    operator: 'equal',
    title: 'equal of ints',
    floats: [[1]],
    index: [1, 0, 1],
    apply: (_, index) => [network.oneHot(index, 2)],
    hasGradient: false,
  },
  { operator: 'minimum', title: 'minimum', floats: [[2, 3], []], apply: two(elementwise.minimum), hasGradient: false },
];
