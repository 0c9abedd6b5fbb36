/** Writes a program as a `Loop` over steps, or as a plain graph without state. */
import { type Feeds, inputOf, neededNodes, type Program, type Tensor, type TensorType, type Values } from '../graph.ts';
import { type Emission, emitNode } from './emitNode.ts';
import {
  bytesOf,
  type ElementType,
  graphAttribute,
  graphMessage,
  type Message,
  modelMessage,
  nodeMessage,
  tensorMessage,
  valueMessage,
} from './protocol.ts';

export const STEPS = 'steps';
export const stateResult = (name: string): string => `next ${name}`;
export const reportResult = (name: string): string => `report ${name}`;

const ELEMENTS: Readonly<Record<TensorType, ElementType>> = { float: 'float', int: 'int32', byte: 'uint8' };
const elementOf = ({ type }: Tensor): ElementType => ELEMENTS[type];

/** `held`: frozen inputs in the file. */
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

/** Name of a per-step input outside the loop. */
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
