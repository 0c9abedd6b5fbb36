/** Keys that repeat, in a whole job and a sample of its model: made anew, in as many rows, whatever their role. */
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runJob } from '../../../gpu-job/runJob.ts';
import { sampleRequestSchema } from '../../../packages/contract/requests.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { float64Schema } from '../../../packages/synthesis/models/shared/savedArrays.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { modelKey, RESULT_FILE_NAME, resultKey } from '../../../service/job/objectKeys.ts';
import { startSample } from '../../../service/job/startJob.ts';
import { appointments, drawn, KEYS } from '../../support/appointments.ts';
import { bytesOf } from '../../support/bytes.ts';
import { SOFTWARE } from '../../support/jobFixtures.ts';
import { cellsOf, tableOf, type World, worldOf } from '../world.ts';

const ROWS = 400;
const random = createStream(5, 'keys');
const patients = appointments(ROWS, 2, KEYS['whole numbers, of which a few have decimals']!);
const cards = appointments(ROWS, 4, () => drawn('0123456789abcdef', 8, random), 2);
const isGone = patients.map(() => random.uniform() < 0.2);

/** Patients in column a, cards in b, where one cell in five is missing. */
const csv = [
  'a,b,c,d',
  ...patients.map(({ key, sex, age }, i) => [key, isGone[i] ? '' : cards[i]!.key, sex, age + (i % 7)].join(',')),
].join('\n');
const real = {
  a: patients.map(({ key }) => key),
  b: cards.flatMap(({ key }, i) => (isGone[i] ? [] : [key])),
};
const FORMS = { a: /^\d{9,15}(\.\d+)?$/, b: /^[0-9a-f]{8}$/ };

const keysIn = async (text: string, name: string): Promise<string[]> =>
  cellsOf(await tableOf(text), name).filter((cell) => cell !== null);

/** By number of rows from 1 to 8, the share of the keys that stand in no more rows. */
function sizesOf(keys: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const sizes = [...counts.values()];
  return Array.from({ length: 8 }, (_, most) => sizes.filter((size) => size <= most + 1).length / sizes.length);
}

async function expectNewKeys(text: string, name: 'a' | 'b'): Promise<string[]> {
  const made = await keysIn(text, name);
  expect(made.filter((key) => real[name].includes(key))).toEqual([]);
  expect(made.filter((key) => !FORMS[name].test(key))).toEqual([]);
  const [ofReal, ofMade] = [sizesOf(real[name]), sizesOf(made)];
  for (const [at, share] of ofReal.entries()) expect(Math.abs(share - ofMade[at]!)).toBeLessThan(0.15);
  return made;
}

async function sampled(world: World, seed: number): Promise<string> {
  const { service } = world;
  const { jobId } = await startSample(service, world.job(), sampleRequestSchema.parse({ rows: ROWS, seed }));
  const { jobs, objects, clock } = service;
  await jobs.run(jobId, 1);
  try {
    await runJob({ jobs, objects, clock, software: SOFTWARE, jobId, attempt: 1, signal: new AbortController().signal });
  } finally {
    await jobs.freeSlot(`${jobId}#1`);
  }
  return new TextDecoder().decode(service.files.get(resultKey(jobId, 1)));
}

describe('keys that repeat', () => {
  let world: World;
  beforeAll(async () => {
    const profile = await profileUpload(bytesOf(csv), 'table.csv');
    const asked = { target_col: 'd', continuous_cols: ['a'], categorical_cols: ['b', 'c'], n_samples: ROWS };
    world = await worldOf(csv, asked, profile);
    await world.run();
  });

  test('are new, of the same form and in as many rows, given as continuous and as categorical', async () => {
    expect((await expectNewKeys(world.file(), 'a')).length).toBe(ROWS);
    const made = await expectNewKeys(world.file(), 'b');
    expect(1 - made.length / ROWS).toBeCloseTo(1 - real.b.length / ROWS, 1);
    const notes = world.job().metrics!.notes.join('\n');
    expect(notes).toContain('Column "a" has keys');
    expect(notes).toContain('Column "b" has keys');
    expect(notes).toContain('repeated as often as the real ones, none of them real');
  });

  test('are new in a sample of the model, and the same by the same seed', async () => {
    const [first, again] = [await sampled(world, 7), await sampled(world, 7)];
    expect(again).toBe(first);
    for (const name of ['a', 'b'] as const) {
      const before = new Set(await keysIn(world.file(), name));
      expect((await expectNewKeys(first, name)).filter((key) => before.has(key)).length).toBeLessThan(ROWS);
    }
  });

  test('end the job without a file where one of them is real', async () => {
    const { files } = world.service;
    const name = modelKey('job', 1);
    const saved = z.looseObject({ models: z.array(z.looseObject({ role: z.string() })) }).parse(world.models());
    const column = { name: 'a', identifiers: 1, model: onlyKey(real.a[0]!) };
    const other = z.object({ columns: z.array(z.looseObject({ name: z.string() })) });
    const models = saved.models.map((model) => {
      if (model.role !== 'identifier') return model;
      const { columns } = other.parse(model.model);
      return { ...model, model: { columns: columns.map((own) => (own.name === 'a' ? column : own)) } };
    });
    const known = files.get(name)!;
    files.set(name, new TextEncoder().encode(JSON.stringify({ ...saved, models })));
    const results = () => [...files.keys()].filter((file) => file.endsWith(RESULT_FILE_NAME)).length;
    const before = results();
    await expect(sampled(world, 9)).rejects.toMatchObject({
      code: 'unsafe_result',
      params: { reason: 'real_keys_in_result', column: 'a' },
    });
    expect(results()).toBe(before);
    files.set(name, known);
  });
});

/** A model of keys that writes but one, and knows of no real one. */
const onlyKey = (key: string) => ({
  sequence: null,
  pattern: { shapes: [{ count: 1, positions: [...key].map((one) => ({ characters: [one], counts: [1] })) }] },
  repeats: { sizes: [ROWS], areAdjacent: true },
  check: null,
  protectedHashes: float64Schema.encode(new Float64Array()),
});
