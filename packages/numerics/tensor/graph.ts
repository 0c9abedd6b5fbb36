/** Graphs of tensor operations: what is computed, not yet where. Shapes are known when a graph is built. */

/** `int` is 32 bits wide, `byte` 8, both with a sign; `float` is 32 bits wide outside of engines. */
export type TensorType = 'float' | 'int' | 'byte';
export type Values = Float32Array | Int32Array | Int8Array;
export type Shape = readonly number[];
export type Attributes = Readonly<Record<string, number | boolean | readonly number[]>>;

/** The length of an axis, of an input at most one, that is as long as what is fed. */
export const OPEN = Number.POSITIVE_INFINITY;

/** A shape with its open axis as long as `entries` make it. */
export function shapeOf(shape: Shape, entries: number): Shape {
  const known = sizeOf(shape.filter((length) => length !== OPEN));
  return shape.map((length) => (length === OPEN ? entries / known : length));
}

/** One value in a graph: an input, a constant, or an output of a node. */
export interface Tensor {
  readonly graph: Graph;
  readonly id: number;
  readonly shape: Shape;
  readonly type: TensorType;
}

/** A tensor's shape and type before it stands in a graph. */
export type Signature = Pick<Tensor, 'shape' | 'type'>;

export interface Node {
  readonly operator: Operator;
  readonly inputs: readonly Tensor[];
  readonly attributes: Attributes;
  readonly outputs: readonly Tensor[];
}

/** What a gradient rule sees. `outputGradients` are null where nothing depends on an output. */
export interface GradientPoint extends Node {
  readonly outputGradients: readonly (Tensor | null)[];
  /** Whether the gradient of an input is asked for. */
  readonly isAsked: readonly boolean[];
}

export interface Operator<Name extends string = string> {
  readonly name: Name;
  /** Shapes and types of the outputs. Throws RangeError where the inputs do not fit. */
  infer(inputs: readonly Signature[], attributes: Attributes): Signature[];
  /** Gradients of the inputs, as new nodes of the same graph; null where there is none. Absent: nothing flows back. */
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

/** A value that is fed by name. Throws RangeError where the name is taken. */
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

/** A value that stands in the graph. */
export function constant(graph: Graph, values: Values, shape: Shape): Tensor {
  if (values.length !== sizeOf(shape)) {
    throw new RangeError(`${values.length} values do not fill the shape ${showShape(shape)}`);
  }
  const tensor = place(graph, { shape, type: typeOf(values) });
  graph.constants.push({ tensor, values });
  return tensor;
}

export const scalar = (graph: Graph, value: number): Tensor => constant(graph, Float32Array.of(value), []);

/** Adds a node and gives its outputs. */
export function apply(operator: Operator, inputs: readonly Tensor[], attributes: Attributes = {}): Tensor[] {
  const graph = inputs[0]!.graph;
  const outputs = operator.infer(inputs, attributes).map((signature) => place(graph, signature));
  graph.nodes.push({ operator, inputs, attributes, outputs });
  return outputs;
}

/** Adds a node of one output. */
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

// A program: one step of a graph, run many times; state goes from each step to the next.

/** A piece of state: the input that a step reads, and what the next step finds there. */
export interface StateLink {
  readonly input: string;
  readonly next: Tensor;
}

export interface Program {
  readonly graph: Graph;
  /** Inputs that stay the same over all steps and calls: given once, kept where they are used. */
  readonly frozen: readonly string[];
  /** Inputs of which each step takes its own: fed with one leading axis more, over the steps. */
  readonly perStep: readonly string[];
  readonly state: readonly StateLink[];
  /** What every step reports, by name; results have one leading axis more, over the steps. */
  readonly reports: Readonly<Record<string, Tensor>>;
}

/** The input of a name. Throws RangeError where the graph has none. */
export function inputOf({ graph }: Pick<Program, 'graph'>, name: string): Tensor {
  const tensor = graph.inputs.get(name);
  if (!tensor) throw new RangeError(`the graph has no input ${JSON.stringify(name)}`);
  return tensor;
}

/** The nodes that state and reports depend on, in order, and the ids of all tensors there. */
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

/** All operators, by name: an engine has a kernel for each. */
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

// The one contract of tensor engines.

export type Feeds = Readonly<Record<string, Values>>;

export interface TensorEngine {
  /** For people: "onnxruntime on the CPU". */
  readonly name: string;
  /** True where programs run on a graphics processor. */
  readonly isGpu: boolean;
  /** Prepares a program. `frozen` has its frozen inputs; they must not change while the executable lives. */
  compile(program: Program, frozen: Feeds): Promise<Executable>;
}

/** Numbers by name. */
export interface StepResults {
  /** State after the last step, by input name. */
  state: Record<string, Float32Array>;
  /** Reports of all steps, by name. */
  reports: Record<string, Float32Array>;
}

export interface Executable {
  /**
   * Runs `steps` steps (≥ 1). `feeds` has state and per-step inputs, the latter with `steps` times the entries of one. They
   * are not changed, and what comes back does not change later.
   */
  run(feeds: Feeds, steps: number): Promise<StepResults>;
  /** Frees what it holds; it cannot run afterwards. */
  release(): Promise<void>;
}
