import * as tf from '@tensorflow/tfjs';
import { createOnnxEngine } from '../../../gpu-job/tensor/engines/onnxruntime.ts';
import { createTfjsEngine } from '../../../gpu-job/tensor/engines/tfjs.ts';
import { engineSuite } from './engine.suite.ts';

engineSuite('onnxruntime on the CPU', () => createOnnxEngine('cpu'));

engineSuite('TensorFlow.js', async () => {
  await tf.setBackend('cpu');
  return createTfjsEngine(tf, false);
});
