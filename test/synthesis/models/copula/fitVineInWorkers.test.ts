import { describe, expect, it } from 'vitest';
import { saveVine } from '../../../../packages/numerics/copula/vine/vine.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { fitVineInWorkers } from '../../../../packages/synthesis/models/copula/rankDependence.ts';
import { dependentColumns } from '../../../numerics/copula/vine/support/dependentColumns.ts';

const u = dependentColumns(5, 300, 3);

describe('a vine fitted in worker threads', () => {
  it('is the same, bit by bit, with none, one and three of them', async () => {
    u[2]![7] = Number.NaN;
    const settings = { structureRows: 200 };
    const fits = [0, 1, 3].map(async (workers) =>
      saveVine(
        await fitVineInWorkers({ u }, settings, {
          workers,
          yieldToEventLoop: async () => undefined,
          random: createStream(1, 'rows'),
        }),
      ),
    );
    const [here, one, three] = await Promise.all(fits);
    expect(one).toEqual(here);
    expect(three).toEqual(here);
  });

  it('ends with its threads where the job is stopped', async () => {
    const yieldToEventLoop = async () => {
      throw new Error('stopped');
    };
    await expect(fitVineInWorkers({ u }, {}, { workers: 2, yieldToEventLoop })).rejects.toThrow('stopped');
  });
});
