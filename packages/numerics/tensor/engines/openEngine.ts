import { availableParallelism } from 'node:os';
import util from 'node:util';
import type { InferenceSession, OnnxValue, Tensor as OrtTensor } from 'onnxruntime-node';
import type { Backend } from '../backends.ts';
import {
  createGraph,
  type Executable,
  type Feeds,
  input,
  inputOf,
  type Program,
  type StepResults,
  shapeOf,
  type TensorEngine,
  type Values,
} from '../graph.ts';
import { emitOnnx, fedName, reportResult, STEPS, stateResult } from '../onnx/emit.ts';
import { unsigned } from '../onnx/protocol.ts';
import { add } from '../operators/elementwise.ts';
import { createTfjsEngine, type TfjsModule } from './tfjs.ts';

/** Throws an Error if the engine does not start. */
export async function openEngine(
  backend: Backend,
  { hasGpu = false }: { hasGpu?: boolean } = {},
): Promise<TensorEngine> {
  if (backend === 'auto') return (hasGpu ? await tryEngine('cuda') : undefined) ?? (await started('cpu'));
  try {
    return await started(backend);
  } catch (cause) {
    throw new Error(
      `The tensor backend ${backend} does not start on this machine. Set TENSOR_BACKEND to cpu, or to auto.`,
      { cause },
    );
  }
}

const tryEngine = (backend: Exclude<Backend, 'auto'>): Promise<TensorEngine | undefined> =>
  started(backend).catch(() => undefined);

/** Tests the engine by an addition. */
async function started(backend: Exclude<Backend, 'auto'>): Promise<TensorEngine> {
  const engine = backend === 'tfjs-gpu' ? await createTfjsGpuEngine() : await createOnnxEngine(backend);
  const graph = createGraph();
  const x = input(graph, 'x', [1]);
  const executable = await engine.compile(
    { graph, frozen: [], perStep: ['x'], state: [], reports: { y: add(x, x) } },
    {},
  );
  const { reports } = await executable.run({ x: Float32Array.of(1) }, 1);
  await executable.release();
  if (reports.y?.[0] !== 2) throw new Error(`${engine.name} adds one and one to ${reports.y?.[0]}`);
  return engine;
}

/** Optional peer dependency, not installed. */
const TFJS_GPU: string = '@tensorflow/tfjs-node-gpu';

/** `node:util` functions that the package needs and Node 23 removed. */
export function restoreLegacyUtil(module: Record<string, unknown> = util): void {
  module.isNullOrUndefined ??= (value: unknown) => value === null || value === undefined;
  module.isArray ??= Array.isArray;
}

async function createTfjsGpuEngine(): Promise<TensorEngine> {
  restoreLegacyUtil();
  const loaded = await import(TFJS_GPU);
  const tf: TfjsModule = loaded.default ?? loaded;
  await tf.ready();
  return createTfjsEngine(tf, { isGpu: true });
}

type Provider = 'cpu' | 'cuda' | 'webgpu';

const NAMES: Readonly<Record<Provider, string>> = {
  cpu: 'onnxruntime on the CPU',
  cuda: 'onnxruntime on CUDA',
  webgpu: 'onnxruntime on WebGPU',
};

type Runtime = typeof import('onnxruntime-node');

/** Throws if onnxruntime cannot be loaded. */
export async function createOnnxEngine(provider: Provider): Promise<TensorEngine> {
  // Set before loading; otherwise it sends telemetry.
  process.env.ORT_DISABLE_TELEMETRY ??= '1';
  // Also read on loading; otherwise CUDA rounds factors to ten bits.
  process.env.NVIDIA_TF32_OVERRIDE ??= '0';
  const runtime = await import('onnxruntime-node');
  const isGpu = provider !== 'cpu';
  // Errors are thrown; logging would duplicate them.
  runtime.env.logLevel = 'fatal';
  return {
    name: NAMES[provider],
    isGpu,
    async compile(program, frozen) {
      const { inFile, beside } = placesOf(frozen, isGpu);
      const bytes = emitOnnx(program, inFile);
      const session = await runtime.InferenceSession.create(bytes, {
        executionProviders: isGpu ? [provider, 'cpu'] : ['cpu'],
        intraOpNumThreads: availableParallelism(),
        graphOptimizationLevel: 'all',
        logSeverityLevel: 4,
        // Operators mostly wait less: sleeping threads wake late, longer spinning slows others.
        extra: { session: { intra_op: { spin_duration_us: '100' } } },
      });
      return executable(runtime, session, program, beside);
    },
  };
}

/** GPUs keep inputs in the file. The CPU packs byte weights from it, and otherwise reads inputs without copying. */
function placesOf(frozen: Feeds, isGpu: boolean): { inFile: Feeds; beside: Feeds } {
  const isPacked = Object.values(frozen).some((values) => values instanceof Int8Array);
  return isGpu || isPacked ? { inFile: frozen, beside: {} } : { inFile: {}, beside: frozen };
}

function executable(runtime: Runtime, session: InferenceSession, program: Program, frozen: Feeds): Executable {
  const held = Object.fromEntries(
    Object.entries(frozen).map(([name, values]) => [name, tensorOf(runtime, values, inputOf(program, name).shape)]),
  );
  return {
    async run(feeds, steps) {
      const fed = { ...held, ...fedTensors(runtime, program, feeds, steps) };
      return resultsOf(program, await session.run(fed));
    },
    release: () => session.release(),
  };
}

function tensorOf(runtime: Runtime, values: Values, signature: readonly number[]): OrtTensor {
  const shape = shapeOf(signature, values.length);
  if (values instanceof Int32Array) return new runtime.Tensor('int32', values, shape);
  if (values instanceof Int8Array) return new runtime.Tensor('uint8', unsigned(values), shape);
  return new runtime.Tensor('float32', values, shape);
}

function fedTensors(runtime: Runtime, program: Program, feeds: Feeds, steps: number): Record<string, OrtTensor> {
  const hasState = program.state.length > 0;
  if (!hasState && steps !== 1) throw new RangeError('a program without state runs one step a call');
  const out: Record<string, OrtTensor> = {};
  const feed = (name: string, { isSeries }: { isSeries: boolean }): void => {
    const values = feeds[name];
    if (!values) throw new RangeError(`nothing is fed for the input ${JSON.stringify(name)}`);
    const { shape } = inputOf(program, name);
    out[fedName(program, name)] = tensorOf(runtime, values, isSeries && hasState ? [steps, ...shape] : shape);
  };
  for (const { input } of program.state) feed(input, { isSeries: false });
  for (const name of program.perStep) feed(name, { isSeries: true });
  if (hasState) out[STEPS] = new runtime.Tensor('int64', BigInt64Array.of(BigInt(steps)), []);
  return out;
}

function resultsOf({ state, reports }: Program, results: Readonly<Record<string, OnnxValue>>): StepResults {
  const read = (name: string): Float32Array => {
    const data = results[name]?.data;
    if (!(data instanceof Float32Array)) throw new Error(`onnxruntime gave no floats for ${name}`);
    return data;
  };
  return {
    state: Object.fromEntries(state.map(({ input }) => [input, read(stateResult(input))])),
    reports: Object.fromEntries(Object.keys(reports).map((name) => [name, read(reportResult(name))])),
  };
}
