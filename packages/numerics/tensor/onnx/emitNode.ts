/** Operator set 18 and onnxruntime's own operators. */
import {
  type Attributes,
  type Node,
  numberOf,
  numbersOf,
  OPEN,
  OPERATOR_NAMES,
  type OperatorName,
  type Tensor,
} from '../graph.ts';
import { MAX_LEVEL, MIN_PEAK } from '../operators/matrix.ts';
import { CONTRIBUTED, floatAttribute, intAttribute, intsAttribute, type Message, textAttribute } from './protocol.ts';

export interface Emission {
  nameOf(tensor: Tensor): string;
  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: readonly Message[],
    domain?: string,
  ): void;
  fresh(): string;
  /** Constant list of 64-bit integers. */
  longs(values: readonly number[]): string;
  /** Constant of rank 0. */
  float(value: number): string;
  octet(value: number): string;
}

type Emitter = (node: Node, emission: Emission) => void;

const plain =
  (type: string, attributes: readonly Message[] = []): Emitter =>
  ({ inputs, outputs }, { nameOf, node }) =>
    node(type, inputs.map(nameOf), outputs.map(nameOf), attributes);

const withList =
  (type: string, list: string, attributes: readonly Message[] = []): Emitter =>
  ({ inputs: [x], outputs, attributes: own }, { nameOf, node, longs }) =>
    node(type, [nameOf(x!), longs(numbersOf(own, list))], outputs.map(nameOf), attributes);

const matMul: Emitter = ({ inputs: [a, b], outputs: [out], attributes }, { nameOf, node, fresh }) => {
  const { transposeA, transposeB } = attributes;
  if (a!.shape.length === 2) {
    const flags = [intAttribute('transA', transposeA ? 1 : 0), intAttribute('transB', transposeB ? 1 : 0)];
    node('Gemm', [nameOf(a!), nameOf(b!)], [nameOf(out!)], flags);
    return;
  }
  const side = (x: Tensor, isTransposed: boolean): string => {
    if (!isTransposed) return nameOf(x);
    const turned = fresh();
    const order = x.shape.map((_, axis) => axis);
    const last = order.splice(-2).toReversed();
    node('Transpose', [nameOf(x)], [turned], [intsAttribute('perm', [...order, ...last])]);
    return turned;
  };
  node('MatMul', [side(a!, transposeA === true), side(b!, transposeB === true)], [nameOf(out!)]);
};

/** Scales rows to 1 … 255 about 128 like the weights: unsigned products are exact. */
const quantisedMatMul: Emitter = ({ inputs: [x, levels, scales], outputs: [out] }, emission) => {
  const { nameOf, node, fresh, longs, float, octet } = emission;
  const [sizes, most, peak, unit, rounded, product] = [fresh(), fresh(), fresh(), fresh(), fresh(), fresh()];
  const [step, zero] = [float(1 / MAX_LEVEL), octet(MAX_LEVEL + 1)];
  node('Abs', [nameOf(x!)], [sizes]);
  node('ReduceMax', [sizes, longs([1])], [most], [intAttribute('keepdims', 1)]);
  node('Max', [most, float(MIN_PEAK)], [peak]);
  node('Div', [nameOf(x!), peak], [unit]);
  node('QuantizeLinear', [unit, step, zero], [rounded]);
  const sides = [rounded, nameOf(levels!), step, nameOf(scales!), zero, zero];
  node('MatMulIntegerToFloat', sides, [product], [], CONTRIBUTED);
  node('Mul', [product, peak], [nameOf(out!)]);
};

/** Positions behind the open part count from the end. */
function splitOpen(
  x: Tensor,
  outputs: readonly Tensor[],
  attributes: Attributes,
  { nameOf, node, longs }: Pick<Emission, 'nameOf' | 'node' | 'longs'>,
): void {
  const sizes = numbersOf(attributes, 'sizes');
  const open = sizes.indexOf(OPEN);
  const axis = longs([numberOf(attributes, 'axis')]);
  const total = (of: readonly number[]): number => of.reduce((a, b) => a + b, 0);
  const placeOf = (part: number): number => (part <= open ? total(sizes.slice(0, part)) : -total(sizes.slice(part)));
  outputs.forEach((output, part) => {
    const end = part === sizes.length - 1 ? Number.MAX_SAFE_INTEGER : placeOf(part + 1);
    node('Slice', [nameOf(x), longs([placeOf(part)]), longs([end]), axis], [nameOf(output)]);
  });
}

const scatterByAdding = textAttribute('reduction', 'add');

const EMITTERS: Readonly<Record<OperatorName, Emitter>> = {
  add: plain('Add'),
  subtract: plain('Sub'),
  multiply: plain('Mul'),
  divide: plain('Div'),
  minimum: plain('Min'),
  negate: plain('Neg'),
  exp: plain('Exp'),
  log: plain('Log'),
  sqrt: plain('Sqrt'),
  sigmoid: plain('Sigmoid'),
  softmax: plain('Softmax', [intAttribute('axis', -1)]),
  logSoftmax: plain('LogSoftmax', [intAttribute('axis', -1)]),
  gatherRows: plain('Gather', [intAttribute('axis', 0)]),
  matMul,
  quantisedMatMul,
  reshape: withList('Reshape', 'shape'),
  expand: withList('Expand', 'shape'),
  sum: withList('ReduceSum', 'axes', [intAttribute('keepdims', 1)]),
  equal: ({ inputs, outputs }, { nameOf, node, fresh }) => {
    const truth = fresh();
    node('Equal', inputs.map(nameOf), [truth]);
    node('Cast', [truth], outputs.map(nameOf), [intAttribute('to', 1)]);
  },
  silu: ({ inputs: [x], outputs: [out] }, { nameOf, node, fresh }) => {
    const gate = fresh();
    node('Sigmoid', [nameOf(x!)], [gate]);
    node('Mul', [nameOf(x!), gate], [nameOf(out!)]);
  },
  transpose: ({ inputs, outputs, attributes }, { nameOf, node }) =>
    node('Transpose', inputs.map(nameOf), outputs.map(nameOf), [intsAttribute('perm', numbersOf(attributes, 'order'))]),
  concat: ({ inputs, outputs, attributes }, { nameOf, node }) =>
    node('Concat', inputs.map(nameOf), outputs.map(nameOf), [intAttribute('axis', numberOf(attributes, 'axis'))]),
  split: ({ inputs: [x], outputs, attributes }, { nameOf, node, longs }) => {
    if (numbersOf(attributes, 'sizes').includes(OPEN))
      return splitOpen(x!, outputs, attributes, { nameOf, node, longs });
    node('Split', [nameOf(x!), longs(numbersOf(attributes, 'sizes'))], outputs.map(nameOf), [
      intAttribute('axis', numberOf(attributes, 'axis')),
    ]);
  },
  pick: ({ inputs: [x, index], outputs: [out] }, { nameOf, node, fresh, longs }) => {
    const column = fresh();
    node('Unsqueeze', [nameOf(index!), longs([1])], [column]);
    node('GatherElements', [nameOf(x!), column], [nameOf(out!)], [intAttribute('axis', 1)]);
  },
  scatterRows: ({ inputs: [rows, index], outputs: [out], attributes }, emission) => {
    const { nameOf, node, fresh, longs, float } = emission;
    const [ground, column, wide] = [fresh(), fresh(), fresh()];
    node('Expand', [float(0), longs([numberOf(attributes, 'depth'), rows!.shape[1]!])], [ground]);
    node('Unsqueeze', [nameOf(index!), longs([1])], [column]);
    node('Cast', [column], [wide], [intAttribute('to', 7)]);
    node('ScatterND', [ground, wide, nameOf(rows!)], [nameOf(out!)], [scatterByAdding]);
  },
  rmsNorm: ({ inputs, outputs, attributes }, { nameOf, node }) =>
    node('SimplifiedLayerNormalization', inputs.map(nameOf), outputs.map(nameOf), [
      intAttribute('axis', -1),
      floatAttribute('epsilon', numberOf(attributes, 'epsilon')),
    ]),
};

const isOperator = (name: string): name is OperatorName => OPERATOR_NAMES.some((known) => known === name);

/** Throws a RangeError for unknown operators. */
export function emitNode(node: Node, emission: Emission): void {
  const { name } = node.operator;
  if (!isOperator(name)) throw new RangeError(`no ONNX nodes are known for the operator ${name}`);
  EMITTERS[name](node, emission);
}
