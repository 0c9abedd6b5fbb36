/** Exits with 0 if the engine starts on CUDA. */
import { openEngine } from '../../packages/numerics/tensor/engines/openEngine.ts';

openEngine('cuda').then(
  () => process.exit(0),
  () => process.exit(1),
);
