import Papa from 'papaparse';
import { beforeAll, describe, expect, test } from 'vitest';
import { runJob } from '../../gpu-job/runJob.ts';
import { jobEventSchema } from '../../packages/contract/events.ts';
import { manifestSchema } from '../../packages/contract/receipt.ts';
import { type SampleRequestBody, sampleRequestSchema } from '../../packages/contract/requests.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { Profile } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { eraseJob } from '../../service/job/endJob.ts';
import type { Job } from '../../service/job/job.ts';
import { jobPrefix, manifestKey, modelKey, reportKey, resultKey, uploadKey } from '../../service/job/objectKeys.ts';
import { startSample } from '../../service/job/startJob.ts';
import { bytesOf } from '../support/bytes.ts';
import { SOFTWARE } from '../support/jobFixtures.ts';
import { type Asked, type World, worldOf } from './world.ts';

const random = createStream(3, 'orders');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const CITIES = ['Oslo', 'Bergen', 'Lima'];
const WORDS = ['late', 'fine', 'small', 'parcel', 'door', 'rain', 'kind', 'driver'];

/** Orders: a number of its own, a city that decides its country, times that follow each other, parts and their total. */
const csv = [
  'order_id,city,country,ordered,arrived,goods,freight,total,score,remark',
  ...times(600, (i) => {
    const city = CITIES[random.integer(3)]!;
    const ordered = 1_600_000_000 + random.integer(86_400 * 20);
    const stamp = (seconds: number) => new Date(1000 * seconds).toISOString().slice(0, 19).replace('T', ' ');
    const goods = Math.round(5000 * (0.2 + random.uniform())) / 100;
    const freight = Math.round(900 * random.uniform()) / 100;
    return [
      `A-${10_000 + 7 * i}`,
      city,
      city === 'Lima' ? 'Peru' : 'Norway',
      stamp(ordered),
      i % 9 === 0 ? '' : stamp(ordered + 3600 + random.integer(90_000)),
      goods.toFixed(2),
      freight.toFixed(2),
      (goods + freight).toFixed(2),
      (goods / 10 + random.normal()).toFixed(3),
      times(5, () => WORDS[random.integer(8)]).join(' '),
    ].join(',');
  }),
].join('\n');

const ROLES: Asked = {
  target_col: 'score',
  continuous_cols: ['ordered', 'arrived', 'goods', 'freight', 'total'],
  categorical_cols: ['city', 'country', 'order_id'],
  text_cols: ['remark'],
  n_samples: 300,
  text_epochs: 1,
};

interface Drawn {
  job: Job;
  text: string;
  rows: Record<string, string>[];
}

let profile: Profile;
const rowsOf = (text: string): Record<string, string>[] =>
  Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
const objectText = ({ service }: World, key: string): string => new TextDecoder().decode(service.files.get(key));

async function fitted(changes: Partial<Asked> = {}): Promise<World> {
  profile ??= await profileUpload(bytesOf(csv), 'orders.csv');
  const world = await worldOf(csv, { ...ROLES, ...changes }, profile);
  await world.run();
  return world;
}

/** Asks for a sample and runs it, as the routes and the job's process do. */
async function sample(world: World, asked: SampleRequestBody): Promise<Drawn> {
  const { service } = world;
  const { jobId } = await startSample(service, world.job(), sampleRequestSchema.parse(asked));
  const { jobs, objects, clock } = service;
  await jobs.run(jobId, 1);
  const signal = new AbortController().signal;
  await runJob({ jobs, objects, clock, software: SOFTWARE, jobId, attempt: 1, signal });
  await jobs.freeSlot(`${jobId}#1`);
  const text = objectText(world, resultKey(jobId, 1));
  return { job: service.records.get(jobId)!, text, rows: rowsOf(text) };
}

function expectRelations(rows: readonly Record<string, string>[]): void {
  for (const { city, country, ordered = '', arrived = '', goods, freight, total } of rows) {
    expect(country).toBe(city === 'Lima' ? 'Peru' : 'Norway');
    expect(ordered).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    if (arrived !== '') expect(arrived > ordered).toBe(true);
    expect(Number(goods) + Number(freight)).toBeCloseTo(Number(total), 6);
    expect(goods).toMatch(/^\d+\.\d\d$/);
  }
}

const factsOf = ({ progress }: Job) => progress.map((entry) => jobEventSchema.parse(entry).fact);

describe('a sample of a job', () => {
  let world: World;
  let first: Drawn;
  beforeAll(async () => {
    world = await fitted();
    first = await sample(world, { rows: 400, seed: 5 });
  });

  test('fails where the upload of its job was altered', async () => {
    const { files } = world.service;
    const upload = files.get(uploadKey('job'))!;
    files.set(uploadKey('job'), upload.slice(0, upload.length / 2));
    await expect(sample(world, { rows: 5 })).rejects.toMatchObject({ params: { reason: 'upload_altered' } });
    files.set(uploadKey('job'), upload);
  });

  test('has as many rows as asked, in the columns and the writing of the first table, and no row of it', () => {
    const table = rowsOf(world.file());
    expect([first.rows.length, Object.keys(first.rows[0]!)]).toEqual([400, Object.keys(table[0]!)]);
    expectRelations(first.rows);
    const key = ({ goods, freight, ordered, score }: Record<string, string>) => [goods, freight, ordered, score].join();
    const known = new Set(table.map(key));
    expect(first.rows.filter((row) => known.has(key(row)))).toEqual([]);
    const real = new Set(rowsOf(csv).map(({ order_id }) => order_id));
    for (const { order_id = '', remark } of first.rows) {
      expect(order_id).toMatch(/^A-\d{5,}$/);
      expect(real.has(order_id)).toBe(false);
      expect(remark).not.toBe('');
    }
    expect(new Set(first.rows.map(({ order_id }) => order_id)).size).toBe(400);
    const gaps = first.rows.filter(({ arrived }) => arrived === '').length / 400;
    expect(gaps).toBeGreaterThan(0.05);
    expect(gaps).toBeLessThan(0.2);
  });

  test('is a finished job of its own, with metrics, report and receipt, and leaves the first as it was', () => {
    const { job } = first;
    expect([job.state, job.metrics?.rows_generated, job.metrics?.seed]).toEqual(['done', 400, 5]);
    expect(job.metrics?.privacy?.dcr_share.value).toEqual(expect.any(Number));
    expect(job.metrics?.notes[0]).toBe('The rows come from the model of job job; no model was fitted.');
    expect(job.progress[0]).toMatchObject({ fact: 'restored_model', job_id: 'job' });
    expect(job.progress.at(-1)).toMatchObject({ fact: 'finished', rows: 400 });
    expect(factsOf(job)).not.toContain('chains_sampled');
    expect(objectText(world, reportKey(job.id, 1, 'html'))).toContain('</html>');
    const manifest = manifestSchema.parse(JSON.parse(objectText(world, manifestKey(job.id, 1))));
    expect(manifest.request).toMatchObject({ sample_of: { job_id: 'job', attempt: 1 }, n_samples: 400, seed: 5 });
    const ofSource = manifestSchema.parse(JSON.parse(objectText(world, manifestKey('job', 1))));
    expect(manifest.input).toEqual(ofSource.input);
    expect([world.job().state, world.job().attempt]).toEqual(['done', 1]);
    expect(world.service.files.has(modelKey(job.id, 1))).toBe(false);
  });

  test('has the same bytes for the same seed and rows, and others for another seed', async () => {
    expect((await sample(world, { rows: 400, seed: 5 })).text).toBe(first.text);
    expect((await sample(world, { rows: 400, seed: 6 })).text).not.toBe(first.text);
  });

  test('meets conditions exactly, though the model was fitted without any', async () => {
    const conditions = [
      { column: 'total', between: [20, 40] as [number, number] },
      { column: 'city', equals: 'Lima', rows: 70 },
    ];
    const { rows } = await sample(world, { rows: 100, seed: 1, conditions });
    expect(rows.length).toBe(100);
    expect(rows.filter(({ city }) => city === 'Lima').length).toBeGreaterThanOrEqual(70);
    for (const { total } of rows) expect(Number(total) >= 20 && Number(total) <= 40).toBe(true);
    expectRelations(rows);
  });

  test('fails, and says why, where the model was saved by another version, or is gone', async () => {
    const saved = objectText(world, modelKey('job', 1));
    const ends = async (text: string | null) => {
      const { jobId } = await startSample(world.service, world.job(), sampleRequestSchema.parse({ rows: 5 }));
      const { jobs, objects, clock } = world.service;
      if (text === null) await objects.erase(modelKey('job', 1));
      else await objects.put(modelKey('job', 1), new TextEncoder().encode(text));
      const signal = new AbortController().signal;
      const run = runJob({ jobs, objects, clock, software: SOFTWARE, jobId, attempt: 1, signal });
      await expect(run).rejects.toMatchObject({
        code: 'invalid_data',
        params: { reason: text === null ? 'model_erased' : 'model_of_other_version', job_id: 'job' },
      });
      await jobs.fail(jobId, 1, { code: 'invalid_data', params: { reason: 'source_erased' } }, '2026-11-03T09:20:00Z');
      await jobs.freeSlot(`${jobId}#1`);
      await objects.put(modelKey('job', 1), new TextEncoder().encode(saved));
    };
    await ends(saved.replace('synthetic-tables-model/2', 'synthetic-tables-model/0'));
    await ends(saved.replace('"role":"target"', '"role":"continuous"'));
    await ends(JSON.stringify({ models: [] }));
    await ends(null);
  });

  test('goes with its job where that is erased, and the rows of it', async () => {
    const { service } = world;
    await eraseJob(service, 'key', 'job');
    expect([...service.records.keys(), ...service.files.keys()]).toEqual([]);
  });
});

describe('a sample of a job', () => {
  test('of few rows fits nothing, unless a rule of the gate needs it, and passes the gate anew', async () => {
    const small = `${csv.split('\n').slice(0, 100).join('\n')}\n`;
    const world = await worldOf(
      small,
      { ...ROLES, text_cols: [], policy: { exact_copies: 0 } },
      await profileUpload(bytesOf(small), 'orders.csv'),
    );
    await world.run();
    const { job, rows } = await sample(world, { rows: 60, seed: 2 });
    expect(rows.length).toBe(60);
    expect(job.metrics?.release).toMatchObject({ outcome: 'passed', found: { exact_copies: 0 } });
    expect(factsOf(job)).not.toContain('fold_fitted');
    expect(job.metrics?.numeric['KS (Avg)']).toEqual(expect.any(Number));
  });

  test('made under conditions keeps to them, in the same shares', async () => {
    const conditions = [
      { column: 'goods', between: [15, null] as [number, null] },
      { column: 'city', equals: 'Lima', rows: 200 },
    ];
    const world = await fitted({ conditions, text_cols: [] });
    const { rows } = await sample(world, { rows: 90, seed: 2 });
    expect(rows.length).toBe(90);
    expect(rows.filter(({ city }) => city === 'Lima').length).toBeGreaterThanOrEqual(60);
    for (const { goods } of rows) expect(Number(goods)).toBeGreaterThanOrEqual(15);
    expectRelations(rows);
    const more = sample(world, { rows: 90, conditions: [{ column: 'city', equals: 'Oslo' }] });
    await expect(more).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(sample(world, { rows: 1 })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('is refused where the upload or the model is no longer kept', async () => {
    const world = await fitted({ text_cols: [] });
    world.service.files.delete(modelKey('job', 1));
    await expect(sample(world, { rows: 5 })).rejects.toMatchObject({ code: 'no_result' });
    await world.service.objects.erase(jobPrefix('job'));
    expect(world.service.files.has(uploadKey('job'))).toBe(false);
    await expect(sample(world, { rows: 5 })).rejects.toMatchObject({ code: 'invalid_job' });
    expect(world.service.records.size).toBe(1);
  });
});
