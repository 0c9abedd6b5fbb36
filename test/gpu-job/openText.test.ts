import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textEnvironment, textOpener, textSettings } from '../../gpu-job/openText.ts';

describe('the engine of text', () => {
  it('that is asked for and does not start fails the job, as the operator must mend it', async () => {
    const open = textOpener({
      backend: 'tfjs-gpu',
      hasGpu: async () => true,
      basePath: null,
      hasCompact: true,
      readFiles: async () => undefined,
    });
    await expect(open()).rejects.toMatchObject({
      code: 'no_compute',
      params: { reason: expect.stringMatching(/^engine_(missing|not_started)$/) },
    });
  });

  it('starts from the small base of the package where TEXT_BASE names none, and from nothing where it says so', async () => {
    const opened = (TEXT_BASE?: string) =>
      textOpener(textSettings(z.object(textEnvironment).parse({ TENSOR_BACKEND: 'cpu', TEXT_BASE })))();
    expect(await opened()).toMatchObject({ base: null, baseProblem: null, compact: { name: 'compact base' } });
    expect((await opened('none')).compact).toBeUndefined();
  });
});
