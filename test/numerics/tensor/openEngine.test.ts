import { describe, expect, it } from 'vitest';
import { openEngine } from '../../../packages/numerics/tensor/engines/openEngine.ts';

describe('openEngine', () => {
  it('opens an engine on every machine', async () => {
    expect((await openEngine('auto')).name).toMatch(/onnxruntime on/);
    expect((await openEngine('cpu')).isGpu).toBe(false);
  });

  it('says what to do where the backend asked for is not there', async () => {
    await expect(openEngine('tfjs-gpu')).rejects.toThrow('Set TENSOR_BACKEND to cpu, or to auto.');
  });
});
