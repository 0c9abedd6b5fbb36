import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { openEngine, restoreLegacyUtil } from '../../../packages/numerics/tensor/engines/openEngine.ts';

describe('openEngine', () => {
  it('opens an engine on every machine', async () => {
    expect((await openEngine('auto')).name).toMatch(/onnxruntime on/);
    expect((await openEngine('cpu')).isGpu).toBe(false);
  });

  it('gives tfjs-node-gpu what Node took away, through the same module', () => {
    restoreLegacyUtil();
    const found: Record<string, (value: unknown) => boolean> = createRequire(import.meta.url)('util');
    expect([null, undefined, 0, ''].map((value) => found.isNullOrUndefined!(value))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([[], {}].map((value) => found.isArray!(value))).toEqual([true, false]);
  });

  it('says what to do where the backend asked for is not there', async () => {
    await expect(openEngine('tfjs-gpu')).rejects.toThrow('Set TENSOR_BACKEND to cpu, or to auto.');
  });
});
