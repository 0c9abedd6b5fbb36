/** A program as an ONNX file: its step as the body of one `Loop`, or, where it has no state, as the graph itself. */
import {
  type Attributes,
  type Feeds,
  inputOf,
  type Node,
  neededNodes,
  numberOf,
  numbersOf,
  OPEN,
  OPERATOR_NAMES,
  type OperatorName,
  type Program,
  type Tensor,
  type TensorType,
  type Values,
} from '../graph.ts';
import { MAX_LEVEL, MIN_PEAK } from '../operators/matrix.ts';
import {
  bytesOf,
  CONTRIBUTED,
  type ElementType,
  floatAttribute,
  graphAttribute,
  graphMessage,
  intAttribute,
  intsAttribute,
  type Message,
  modelMessage,
  nodeMessage,
  tensorMessage,
  textAttribute,
  valueMessage,
} from './protocol.ts';
/** Names of the file's own inputs beside those of the program. */
export const STEPS = 'steps';
export const stateResult = (name: string): string => `next ${name}`;
export const reportResult = (name: string): string => `report ${name}`;

const ELEMENTS: Readonly<Record<TensorType, ElementType>> = { float: 'float', int: 'int32', byte: 'uint8' };
const elementOf = ({ type }: Tensor): ElementType => ELEMENTS[type];

const isOperator = (name: string): name is OperatorName => OPERATOR_NAMES.some((known) => known === name);

/** The file's bytes. `held` are frozen inputs that stand in the file; the others are inputs of it. */
export function emitOnnx(program: Program, held: Feeds = {}): Uint8Array {
  const writer = createWriter(program);
  const initializers = Object.entries(held).map(([name, values]) => heldTensor(program, name, values));
  const frozen = program.frozen.filter((name) => !(name in held)).map((name) => valueFor(name, inputOf(program, name)));
  const graph = program.state.length === 0 ? single(program, writer) : loop(program, writer);
  const parts = {
    ...graph,
    inputs: [...frozen, ...graph.inputs],
    initializers: [...initializers, ...writer.constants],
  };
  return bytesOf(modelMessage(graphMessage('program', parts)));
}

const valueFor = (name: string, tensor: Tensor): Message => valueMessage(name, elementOf(tensor), tensor.shape);

function heldTensor(program: Program, name: string, values: Values): Message {
  const tensor = inputOf(program, name);
  return tensorMessage(name, elementOf(tensor), tensor.shape, values);
}

interface Graph {
  nodes: Message[];
  inputs: Message[];
  outputs: Message[];
}

function single(program: Program, writer: Writer): Graph {
  const reports = Object.entries(program.reports);
  for (const [name, tensor] of reports)
    writer.emission.node('Identity', [writer.emission.nameOf(tensor)], [reportResult(name)]);
  return {
    nodes: writer.nodes,
    inputs: program.perStep.map((name) => valueFor(name, inputOf(program, name))),
    outputs: reports.map(([name, tensor]) => valueFor(reportResult(name), tensor)),
  };
}

/** Inside the loop a per-step input goes by its own name; outside, with its leading axis, by another. */
const allSteps = (name: string): string => `all ${name}`;

function loop(program: Program, writer: Writer): Graph {
  const { emission } = writer;
  const reports = Object.entries(program.reports);
  const slices = program.perStep.map((name) => nodeMessage('Gather', [allSteps(name), 'step'], [name]));
  emission.node('Identity', ['goes on'], ['still goes on']);
  const body = graphMessage('step', {
    nodes: [...slices, ...writer.nodes],
    initializers: [],
    inputs: [
      valueMessage('step', 'int64', []),
      valueMessage('goes on', 'bool', []),
      ...program.state.map(({ input }) => valueFor(input, inputOf(program, input))),
    ],
    outputs: [
      valueMessage('still goes on', 'bool', []),
      ...program.state.map(({ next }) => valueFor(emission.nameOf(next), next)),
      ...reports.map(([, tensor]) => valueFor(emission.nameOf(tensor), tensor)),
    ],
  });
  const states = program.state.map(({ input }) => input);
  const results = [...states.map(stateResult), ...reports.map(([name]) => reportResult(name))];
  const node = nodeMessage('Loop', [STEPS, '', ...states.map(initial)], results, [graphAttribute('body', body)]);
  return {
    nodes: [node],
    inputs: [
      valueMessage(STEPS, 'int64', []),
      ...states.map((name) => valueFor(initial(name), inputOf(program, name))),
      ...program.perStep.map((name) => valueMessage(allSteps(name), ...seriesOf(inputOf(program, name)))),
    ],
    outputs: [
      ...program.state.map(({ input, next }) => valueFor(stateResult(input), next)),
      ...reports.map(([name, tensor]) => valueMessage(reportResult(name), ...seriesOf(tensor))),
    ],
  };
}

const seriesOf = (tensor: Tensor): [ElementType, (number | string)[]] => [elementOf(tensor), [STEPS, ...tensor.shape]];

/** Names under which a file with a loop takes its feeds. */
const initial = (name: string): string => `first ${name}`;
export const fedName = ({ state }: Program, name: string): string => {
  if (state.length === 0) return name;
  return state.some(({ input }) => input === name) ? initial(name) : allSteps(name);
};

interface Writer {
  nodes: Message[];
  constants: Message[];
  emission: Emission;
}

/** Writes all nodes that the program's results need. */
function createWriter(program: Program): Writer {
  const nodes: Message[] = [];
  const constants: Message[] = [];
  const names = new Map([...program.graph.inputs].map(([name, { id }]) => [id, name]));
  let count = 0;
  const fresh = (): string => `%x${count++}`;
  const known = new Map<string, string>();
  const constant = (key: string, make: (name: string) => Message): string => {
    const name = known.get(key) ?? `%c${known.size}`;
    if (!known.has(key)) constants.push(make(name));
    known.set(key, name);
    return name;
  };
  const emission: Emission = {
    fresh,
    nameOf: ({ id }) => names.get(id) ?? `%${id}`,
    node: (type, inputs, outputs, attributes, domain) =>
      void nodes.push(nodeMessage(type, inputs, outputs, attributes, domain)),
    longs: (values) =>
      constant(`longs ${values}`, (name) =>
        tensorMessage(name, 'int64', [values.length], BigInt64Array.from(values, BigInt)),
      ),
    float: (value) => constant(`float ${value}`, (name) => tensorMessage(name, 'float', [], Float32Array.of(value))),
    octet: (value) => constant(`octet ${value}`, (name) => tensorMessage(name, 'uint8', [], Uint8Array.of(value))),
  };
  const { needed, ids } = neededNodes(program);
  for (const { tensor, values } of program.graph.constants) {
    if (ids.has(tensor.id))
      constants.push(tensorMessage(emission.nameOf(tensor), elementOf(tensor), tensor.shape, values));
  }
  for (const node of needed) emitNode(node, emission);
  return { nodes, constants, emission };
}

function emitNode(node: Node, emission: Emission): void {
  const { name } = node.operator;
  if (!isOperator(name)) throw new RangeError(`no ONNX nodes are known for the operator ${name}`);
  EMITTERS[name](node, emission);
}

// Every operator as ONNX nodes (operator set 18, and operators of onnxruntime).

/** Where nodes are written. */
interface Emission {
  nameOf(tensor: Tensor): string;
  node(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: readonly Message[],
    domain?: string,
  ): void;
  /** A name that nothing else has. */
  fresh(): string;
  /** The name of a constant list of 64-bit integers. */
  longs(values: readonly number[]): string;
  /** The name of a constant of rank 0. */
  float(value: number): string;
  /** The name of a constant of rank 0, of 8 bits without a sign. */
  octet(value: number): string;
}

type Emitter = (node: Node, emission: Emission) => void;

const plain =
  (type: string, attributes: readonly Message[] = []): Emitter =>
  ({ inputs, outputs }, { nameOf, node }) =>
    node(type, inputs.map(nameOf), outputs.map(nameOf), attributes);

/** One input, and a constant list after it. */
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

/** Rows are brought into [-1, 1], and from there to 1 … 255 about 128, as the weights are: without signs, products are exact. */
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

/** Places behind the open part are counted from the end. */
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
