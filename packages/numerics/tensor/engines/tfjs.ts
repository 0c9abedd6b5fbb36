import type * as Tf from '@tensorflow/tfjs';
import {
  type Executable,
  type Feeds,
  inputOf,
  type Node,
  neededNodes,
  numberOf,
  numbersOf,
  OPEN,
  type OperatorName,
  type Program,
  type StepResults,
  shapeOf,
  sizeOf,
  type Tensor,
  type TensorEngine,
  type TensorType,
  type Values,
} from '../graph.ts';
import { MAX_LEVEL, MIN_PEAK } from '../operators/matrix.ts';
export type TfjsModule = typeof Tf;

type Kernel = (tf: TfjsModule, inputs: Tf.Tensor[], node: Node) => Tf.Tensor | Tf.Tensor[];

const asInts = (index: Tf.Tensor): Tf.Tensor1D => index.toInt().as1D();

const KERNELS: Readonly<Record<OperatorName, Kernel>> = {
  add: (tf, [a, b]) => tf.add(a!, b!),
  subtract: (tf, [a, b]) => tf.sub(a!, b!),
  multiply: (tf, [a, b]) => tf.mul(a!, b!),
  divide: (tf, [a, b]) => tf.div(a!, b!),
  minimum: (tf, [a, b]) => tf.minimum(a!, b!),
  equal: (tf, [a, b]) => tf.equal(a!, b!).toFloat(),
  negate: (tf, [x]) => tf.neg(x!),
  exp: (tf, [x]) => tf.exp(x!),
  log: (tf, [x]) => tf.log(x!),
  sqrt: (tf, [x]) => tf.sqrt(x!),
  sigmoid: (tf, [x]) => tf.sigmoid(x!),
  silu: (tf, [x]) => tf.mul(x!, tf.sigmoid(x!)),
  reshape: (tf, [x], { attributes }) => tf.reshape(x!, [...numbersOf(attributes, 'shape')]),
  transpose: (tf, [x], { attributes }) => tf.transpose(x!, [...numbersOf(attributes, 'order')]),
  sum: (tf, [x], { attributes }) => tf.sum(x!, [...numbersOf(attributes, 'axes')], true),
  expand: (tf, [x], { attributes }) => tf.broadcastTo(x!, [...numbersOf(attributes, 'shape')]),
  concat: (tf, inputs, { attributes }) => tf.concat(inputs, numberOf(attributes, 'axis')),
  split: (tf, [x], { attributes }) => {
    const axis = numberOf(attributes, 'axis');
    const sizes = numbersOf(attributes, 'sizes');
    const rest = x!.shape[axis]! - sizes.reduce((sum, size) => sum + (size === OPEN ? 0 : size), 0);
    return tf.split(
      x!,
      sizes.map((size) => (size === OPEN ? rest : size)),
      axis,
    );
  },
  matMul: (tf, [a, b], { attributes }) =>
    tf.matMul(a!, b!, attributes.transposeA === true, attributes.transposeB === true),
  quantisedMatMul: (tf, [x, levels, scales]) => {
    const peak = tf.maximum(tf.max(tf.abs(x!), 1, true), MIN_PEAK);
    const rounded = tf.round(tf.mul(tf.div(x!, peak), MAX_LEVEL));
    return tf.mul(tf.mul(tf.matMul(rounded, levels!.toFloat()), scales!), tf.div(peak, MAX_LEVEL));
  },
  softmax: (tf, [x]) => tf.softmax(x!),
  logSoftmax: (tf, [x]) => tf.logSoftmax(x!),
  pick: (tf, [x, index]) => tf.sum(tf.mul(x!, tf.oneHot(asInts(index!), x!.shape[1]!)), 1, true),
  gatherRows: (tf, [table, index]) => tf.gather(table!, asInts(index!)),
  scatterRows: (tf, [rows, index], { attributes }) =>
    tf.matMul(tf.oneHot(asInts(index!), numberOf(attributes, 'depth')).toFloat(), rows!, true),
  rmsNorm: (tf, [x, gain], { attributes }) => {
    const inverse = tf.rsqrt(tf.add(tf.mean(tf.square(x!), 1, true), numberOf(attributes, 'epsilon')));
    return [tf.mul(tf.mul(x!, inverse), gain!), inverse];
  },
};

/** TensorFlow.js has no byte tensors. */
export const tfType = (type: TensorType): 'float32' | 'int32' => (type === 'float' ? 'float32' : 'int32');

export function createTfjsEngine(tf: TfjsModule, { isGpu }: { isGpu: boolean }): TensorEngine {
  return {
    name: `TensorFlow.js (${tf.getBackend()})`,
    isGpu,
    compile: async (program, frozen) => executable(tf, program, frozen),
  };
}

function executable(tf: TfjsModule, program: Program, frozen: Feeds): Executable {
  const { needed, ids } = neededNodes(program);
  const load = (values: Values, { shape, type }: Tensor): Tf.Tensor =>
    tf.tensor(
      values instanceof Int8Array ? Int32Array.from(values) : values,
      [...shapeOf(shape, values.length)],
      tfType(type),
    );
  const held = new Map<number, Tf.Tensor>();
  for (const [name, values] of Object.entries(frozen)) {
    const tensor = inputOf(program, name);
    held.set(tensor.id, load(values, tensor));
  }
  for (const { tensor, values } of program.graph.constants)
    if (ids.has(tensor.id)) held.set(tensor.id, load(values, tensor));

  /** Returns next state, then reports. */
  const step = (given: ReadonlyMap<number, Tf.Tensor>): Tf.Tensor[] =>
    tf.tidy(() => {
      const values = new Map([...held, ...given]);
      applyNodes(tf, needed, values);
      const results = [...program.state.map(({ next }) => next), ...Object.values(program.reports)];
      return results.map(({ id }) => tf.clone(values.get(id)!));
    });

  return {
    run: async (feeds, steps) => runSteps(program, feeds, steps, load, step),
    async release() {
      for (const tensor of held.values()) tensor.dispose();
      held.clear();
    },
  };
}

export function applyNodes(tf: TfjsModule, nodes: readonly Node[], values: Map<number, Tf.Tensor>): void {
  for (const node of nodes) {
    const made = kernelOf(node)(
      tf,
      node.inputs.map(({ id }) => values.get(id)!),
      node,
    );
    for (const [k, output] of [made].flat().entries()) values.set(node.outputs[k]!.id, output);
  }
}

function kernelOf({ operator }: Node): Kernel {
  const kernel = new Map<string, Kernel>(Object.entries(KERNELS)).get(operator.name);
  if (!kernel) throw new RangeError(`TensorFlow.js has no kernel for the operator ${operator.name}`);
  return kernel;
}

async function runSteps(
  program: Program,
  feeds: Feeds,
  steps: number,
  load: (values: Values, tensor: Tensor) => Tf.Tensor,
  step: (given: ReadonlyMap<number, Tf.Tensor>) => Tf.Tensor[],
): Promise<StepResults> {
  if (program.state.length === 0 && steps !== 1) throw new RangeError('a program without state runs one step a call');
  const fed = (name: string): Values => {
    const values = feeds[name];
    if (!values) throw new RangeError(`nothing is fed for the input ${JSON.stringify(name)}`);
    return values;
  };
  let state = program.state.map(({ input }) => load(fed(input), inputOf(program, input)));
  const names = Object.keys(program.reports);
  const collected: Float32Array[][] = names.map(() => []);
  for (let k = 0; k < steps; k++) {
    const given = new Map(program.state.map(({ input }, s) => [inputOf(program, input).id, state[s]!]));
    for (const name of program.perStep) {
      const tensor = inputOf(program, name);
      const entries = sizeOf(tensor.shape);
      given.set(tensor.id, load(fed(name).slice(k * entries, (k + 1) * entries), tensor));
    }
    const results = step(given);
    for (const tensor of given.values()) tensor.dispose();
    state = results.slice(0, program.state.length);
    const reports = results.slice(program.state.length);
    for (const [r, report] of reports.entries()) collected[r]!.push(Float32Array.from(await report.data()));
    for (const report of reports) report.dispose();
  }
  const last = await Promise.all(state.map(async (tensor) => Float32Array.from(await tensor.data())));
  for (const tensor of state) tensor.dispose();
  return {
    state: Object.fromEntries(program.state.map(({ input }, s) => [input, last[s]!])),
    reports: Object.fromEntries(names.map((name, r) => [name, joined(collected[r]!)])),
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
