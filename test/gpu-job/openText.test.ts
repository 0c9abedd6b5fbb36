import { describe, expect, it } from 'vitest';
import { textOpener } from '../../gpu-job/openText.ts';

describe('the engine of text', () => {
  it('that is asked for and does not start fails the job, as the operator must mend it', async () => {
    const open = textOpener({
      backend: 'tfjs-gpu',
      hasGpu: async () => true,
      basePath: null,
      readFiles: async () => undefined,
    });
    await expect(open()).rejects.toMatchObject({
      code: 'no_compute',
      params: { reason: expect.stringMatching(/^engine_(missing|not_started)$/) },
    });
  });
});
