/** Tensor graphs with static shapes, independent of engines. */

/** `int`: signed 32-bit; `byte`: signed 8-bit; `float`: 32-bit outside engines. */
export type TensorType = 'float' | 'int' | 'byte';
export type Values = Float32Array | Int32Array | Int8Array;
export type Shape = readonly number[];
export type Attributes = Readonly<Record<string, number | boolean | readonly number[]>>;

/** Length of an input's open axis, set by feeds. */
export const OPEN = Number.POSITIVE_INFINITY;

export function shapeOf(shape: Shape, entries: number): Shape {
  const known = sizeOf(shape.filter((length) => length !== OPEN));
  return shape.map((length) => (length === OPEN ? entries / known : length));
}

export interface Tensor {
  readonly graph: Graph;
  readonly id: number;
  readonly shape: Shape;
  readonly type: TensorType;
}

export type Signature = Pick<Tensor, 'shape' | 'type'>;

export interface Node {
  readonly operator: Operator;
  readonly inputs: readonly Tensor[];
  readonly attributes: Attributes;
  readonly outputs: readonly Tensor[];
}

/** `outputGradients` are null for unused outputs. */
export interface GradientPoint extends Node {
  readonly outputGradients: readonly (Tensor | null)[];
  readonly isAsked: readonly boolean[];
}

export interface Operator<Name extends string = string> {
  readonly name: Name;
  /** Throws a RangeError for incompatible inputs. */
  infer(inputs: readonly Signature[], attributes: Attributes): Signature[];
  /** Null for none; absent if not differentiable. */
  gradient?(point: GradientPoint): (Tensor | null)[];
}

export interface Constant {
  readonly tensor: Tensor;
  readonly values: Values;
}

export interface Graph {
  readonly nodes: Node[];
  readonly inputs: Map<string, Tensor>;
  readonly constants: Constant[];
  nextId: number;
}

export const createGraph = (): Graph => ({ nodes: [], inputs: new Map(), constants: [], nextId: 0 });

export const sizeOf = (shape: Shape): number => shape.reduce((product, length) => product * length, 1);

export const showShape = (shape: Shape): string => `[${shape.join(', ')}]`;

function place(graph: Graph, { shape, type }: Signature): Tensor {
  return { graph, id: graph.nextId++, shape, type };
}

/** Throws a RangeError for a repeated name. */
export function input(graph: Graph, name: string, shape: Shape, type: TensorType = 'float'): Tensor {
  if (graph.inputs.has(name)) throw new RangeError(`the graph has an input ${JSON.stringify(name)} already`);
  const tensor = place(graph, { shape, type });
  graph.inputs.set(name, tensor);
  return tensor;
}

function typeOf(values: Values): TensorType {
  if (values instanceof Int32Array) return 'int';
  return values instanceof Int8Array ? 'byte' : 'float';
}

export function constant(graph: Graph, values: Values, shape: Shape): Tensor {
  if (values.length !== sizeOf(shape)) {
    throw new RangeError(`${values.length} values do not fill the shape ${showShape(shape)}`);
  }
  const tensor = place(graph, { shape, type: typeOf(values) });
  graph.constants.push({ tensor, values });
  return tensor;
}

export const scalar = (graph: Graph, value: number): Tensor => constant(graph, Float32Array.of(value), []);

export function apply(operator: Operator, inputs: readonly Tensor[], attributes: Attributes = {}): Tensor[] {
  const graph = inputs[0]!.graph;
  const outputs = operator.infer(inputs, attributes).map((signature) => place(graph, signature));
  graph.nodes.push({ operator, inputs, attributes, outputs });
  return outputs;
}

export function applyOne(operator: Operator, inputs: readonly Tensor[], attributes: Attributes = {}): Tensor {
  return apply(operator, inputs, attributes)[0]!;
}

export const numbersOf = (attributes: Attributes, name: string): readonly number[] => {
  const value = attributes[name];
  if (!Array.isArray(value)) throw new RangeError(`attribute ${name} is a list of numbers`);
  return value;
};

export const numberOf = (attributes: Attributes, name: string): number => {
  const value = attributes[name];
  if (typeof value !== 'number') throw new RangeError(`attribute ${name} is a number`);
  return value;
};

export interface StateLink {
  readonly input: string;
  readonly next: Tensor;
}

export interface Program {
  readonly graph: Graph;
  /** Constant inputs, given once. */
  readonly frozen: readonly string[];
  /** Inputs with a leading step axis. */
  readonly perStep: readonly string[];
  readonly state: readonly StateLink[];
  /** Results with a leading step axis. */
  readonly reports: Readonly<Record<string, Tensor>>;
}

/** Throws a RangeError if absent. */
export function inputOf({ graph }: Pick<Program, 'graph'>, name: string): Tensor {
  const tensor = graph.inputs.get(name);
  if (!tensor) throw new RangeError(`the graph has no input ${JSON.stringify(name)}`);
  return tensor;
}

export function neededNodes({ graph, state, reports }: Program): { needed: Node[]; ids: Set<number> } {
  const results = [...state.map(({ next }) => next), ...Object.values(reports)];
  const ids = new Set(results.map(({ id }) => id));
  const needed = graph.nodes.toReversed().filter(({ inputs, outputs }) => {
    if (!outputs.some(({ id }) => ids.has(id))) return false;
    for (const { id } of inputs) ids.add(id);
    return true;
  });
  return { needed: needed.toReversed(), ids };
}

/** Every engine has a kernel for each operator. */
export const OPERATOR_NAMES = [
  'add',
  'subtract',
  'multiply',
  'divide',
  'equal',
  'minimum',
  'negate',
  'exp',
  'log',
  'sqrt',
  'sigmoid',
  'silu',
  'reshape',
  'transpose',
  'sum',
  'expand',
  'concat',
  'split',
  'matMul',
  'quantisedMatMul',
  'softmax',
  'logSoftmax',
  'pick',
  'gatherRows',
  'scatterRows',
  'rmsNorm',
] as const;
export type OperatorName = (typeof OPERATOR_NAMES)[number];

export type Feeds = Readonly<Record<string, Values>>;

export interface TensorEngine {
  readonly name: string;
  readonly isGpu: boolean;
  /** `frozen` must not change while the executable lives. */
  compile(program: Program, frozen: Feeds): Promise<Executable>;
}

export interface StepResults {
  state: Record<string, Float32Array>;
  reports: Record<string, Float32Array>;
}

export interface Executable {
  /** Needs `steps` ≥ 1 and per-step inputs with `steps` times the entries. Feeds and results are not modified later. */
  run(feeds: Feeds, steps: number): Promise<StepResults>;
  /** Do not run afterwards. */
  release(): Promise<void>;
}
