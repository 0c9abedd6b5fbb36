/** Which engine a machine runs: the one that is asked for, or the fastest that starts. */
import type { TensorEngine } from '../engine.ts';
import { createGraph, input } from '../graph.ts';
import { add } from '../operators/elementwise.ts';
import { createOnnxEngine } from './onnxruntime.ts';
import { createTfjsEngine, type TfjsModule } from './tfjs.ts';

/** Values of the environment variable that chooses: `auto` takes CUDA where there is a GPU and it starts, else the CPU. */
export const BACKENDS = ['auto', 'cpu', 'cuda', 'webgpu', 'tfjs-gpu'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Throws Error, which says what to do, where the engine asked for does not start on this machine. */
export async function openEngine(backend: Backend, hasGpu = false): Promise<TensorEngine> {
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

/** An engine that has added one and one. */
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

/** An optional peer: it is not installed with the project. */
const TFJS_GPU: string = '@tensorflow/tfjs-node-gpu';

async function createTfjsGpuEngine(): Promise<TensorEngine> {
  const loaded = await import(TFJS_GPU);
  const tf: TfjsModule = loaded.default ?? loaded;
  await tf.ready();
  return createTfjsEngine(tf, true);
}
