import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { measureAll, type TableTask } from '../../../packages/synthesis/judge/measureAll.ts';
import { DRAWN_ROLES, drawTable, tableOf, texts } from './tables.ts';

const withTexts = (rows: number, name: string) => {
  const table = drawTable(rows, createStream(3, name));
  const notes = texts('note', ...Array.from({ length: rows }, (_, row) => `the ${row}th ${name} note`));
  return tableOf(...table.columns.values(), notes);
};

const task = (facts: string[]): TableTask => ({
  train: withTexts(400, 'train'),
  holdout: withTexts(200, 'holdout'),
  synthetic: withTexts(300, 'synthetic'),
  roles: { ...DRAWN_ROLES, text: ['note'] },
  family: null,
  crossFit: null,
  random: createStream(3, 'figures'),
  onProgress: async ({ fact }) => {
    facts.push(fact);
  },
});

describe('figures measured in a thread', () => {
  it('are those measured here, and are told of as they are found', async () => {
    const [here, there]: string[][] = [[], []];
    const expected = await measureAll({ ...task(here!), inThread: false });
    expect(await measureAll({ ...task(there!), inThread: true })).toEqual(expected);
    expect(there!.toSorted()).toEqual(here!.toSorted());
    expect(there).toContain('categories_predicted');
  });

  it.each(['columns_compared', 'singling_out_tested'])('end where the job is stopped at %s', async (last) => {
    const stopped = { ...task([]), inThread: true };
    stopped.onProgress = async ({ fact }) => {
      if (fact === last) throw new Error('stopped');
    };
    await expect(measureAll(stopped)).rejects.toThrow('stopped');
  });

  it('end where the job is stopped when only the thread is at work', async () => {
    let asked = false;
    const stopped = { ...task([]), inThread: true };
    stopped.yieldToEventLoop = async () => {
      if (asked) throw new Error('stopped');
    };
    stopped.onProgress = async () => {
      asked = true;
    };
    await expect(measureAll(stopped)).rejects.toThrow('stopped');
  });
});
