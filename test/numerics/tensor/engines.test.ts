import * as tf from '@tensorflow/tfjs';
import type { Backend } from '../../../packages/numerics/tensor/backends.ts';
import { createOnnxEngine, openEngine } from '../../../packages/numerics/tensor/engines/openEngine.ts';
import { createTfjsEngine } from '../../../packages/numerics/tensor/engines/tfjs.ts';
import { engineSuite } from './engine.suite.ts';

engineSuite('onnxruntime on the CPU', () => createOnnxEngine('cpu'));

engineSuite('TensorFlow.js', async () => {
  await tf.setBackend('cpu');
  return createTfjsEngine(tf, { isGpu: false });
});

/** A machine with a graphics processor runs the same suite on it: TENSOR_BACKEND=cuda, webgpu or tfjs-gpu. */
const others: readonly Backend[] = ['cuda', 'webgpu', 'tfjs-gpu'];
const asked = others.find((backend) => backend === process.env.TENSOR_BACKEND);
if (asked) engineSuite(`the backend ${asked}`, () => openEngine(asked));
