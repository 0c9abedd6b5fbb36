import { describe, expect, it } from 'vitest';
import { answerTo, isAllowed, mutatedFile } from '../../../bench/fuzz/fuzz.ts';
import { SEED_WORKBOOKS } from '../../../bench/fuzz/seeds.ts';
import { doneOf, watch } from '../../../bench/fuzz/watch.ts';
import { zipOf } from '../../../bench/fuzz/zip.ts';

const SLICE = { seed: 3, from: 0, to: 400, threads: 1, mostMs: 5000, heapMb: 512, budgetMs: 30_000 };

describe('mutated uploads, a short slice of `npm run fuzz`', () => {
  it('are read or refused by one of the upload errors, each within 5 s', async () => {
    const answers = new Set<string>();
    for (let number = 0; number < 400; number++) answers.add(await answerTo(mutatedFile(3, number)));
    expect([...answers].filter((answer) => !isAllowed(answer))).toEqual([]);
    expect(answers.size).toBeGreaterThan(3);
  });

  it('are the same for the same seed and number, of whichever file was read before', async () => {
    const before = [0, 1, 2].map((number) => mutatedFile(3, number));
    await answerTo(mutatedFile(4, 5));
    expect([0, 1, 2].map((number) => mutatedFile(3, number))).toEqual(before);
  });

  it('start from workbooks that can be read, put together from their parts', async () => {
    expect(await Promise.all(SEED_WORKBOOKS.map((parts) => answerTo(zipOf(parts))))).toEqual(['read', 'read']);
  });
});

describe('watch', () => {
  it('reads all files in its threads and goes on where a run was stopped', async () => {
    const report = await watch({ ...SLICE, to: 30, threads: 2 });
    const later = await watch({ ...SLICE, from: 20, to: 30 });
    expect([doneOf(report), report.findings]).toEqual([30, []]);
    expect([doneOf(later), later.findings]).toEqual([10, []]);
  });

  it('finds the file that hangs and the one that takes too much memory, and reads the others', async () => {
    const entry = new URL('../../support/fuzzedBadly.ts', import.meta.url);
    const report = await watch({ ...SLICE, to: 6, mostMs: 2500, heapMb: 24, entry });
    expect(report.findings).toEqual([
      { number: 2, what: 'took more than 2500 ms' },
      { number: 4, what: expect.stringContaining('memory') },
    ]);
    expect(doneOf(report)).toBe(6);
  });
});
