/** Requests, records and objects that were changed at random, put to the service on real local stores. */
import { z } from 'zod';
import { openDatabase } from '../../adapters/local/database.ts';
import { createApp } from '../../api/app.ts';
import { reportData } from '../../api/routes/report.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { sha256Of } from '../../service/hashing.ts';
import { slotOf } from '../../service/job/job.ts';
import { manifestKey, modelKey, profileKey, reportKey, resultKey } from '../../service/job/objectKeys.ts';
import { AT, METRICS, requestFor } from './jobFixtures.ts';
import { chunksOf, localService, type TestService } from './localService.ts';
import { manifestOf, SALT } from './manifests.ts';
import { filePart, MULTIPART, multipart } from './multipart.ts';

export interface MutationReport {
  /** How often each status was answered. */
  statuses: Map<number, number>;
  /** Answers that must not be, in words; none is expected. */
  faults: string[];
}

const TABLE = `x,c,note\n${Array.from({ length: 60 }, (_, i) => `${i * 1.5},${'ab'[i % 2]},word ${i}`).join('\n')}\n`;

interface World {
  service: TestService;
  send(method: string, path: string, init?: RequestInit): Promise<Response>;
  random: RandomStream;
  report: MutationReport;
}

async function openWorld(seed: number, name: string): Promise<World> {
  const profile = await profileUpload(chunksOf(TABLE), 'table.csv');
  const service = localService({ profile });
  const { key } = await service.keys.create('mutations', []);
  const app = createApp(service, { corsOrigins: [] });
  return {
    service,
    send: async (method, path, init = {}) =>
      app.request(path, { method, ...init, headers: { 'X-API-Key': key, ...init.headers } }),
    random: createStream(seed, name),
    report: { statuses: new Map(), faults: [] },
  };
}

async function note({ report }: World, reply: Response, what: string): Promise<string> {
  const text = await reply.text();
  report.statuses.set(reply.status, (report.statuses.get(reply.status) ?? 0) + 1);
  if (reply.status === 500) report.faults.push(`${what}: 500 ${text.slice(0, 200)}`);
  return text;
}

// What is changed, and how: a text of JSON, or bytes that are not JSON any more.

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

const ODD: readonly Value[] = [
  null,
  true,
  0,
  -1,
  1e300,
  0.5,
  Number.MAX_SAFE_INTEGER,
  '',
  'x',
  'price',
  '\u0000',
  '\ud800',
  '__proto__',
  [],
  {},
  ['x'],
  [['x']],
  { x: 1 },
  'f'.repeat(5000),
];

const pick = <T>(random: RandomStream, items: readonly T[]): T => items[random.integer(items.length)]!;

/** The text with one thing changed: a value, a field more or less, bytes flipped, or its end gone. */
export function mutated(text: string, random: RandomStream): string {
  const kind = random.integer(4);
  if (kind === 0) return text.slice(0, random.integer(text.length));
  if (kind === 1 || !/^\s*[[{]/.test(text)) return flipped(text, random);
  const root: Value = JSON.parse(text);
  const holders = [...containers(root)];
  const place = holders.length > 0 ? pick(random, holders) : undefined;
  if (!place) return JSON.stringify(pick(random, ODD));
  const names = Object.keys(place);
  if (kind === 2 && names.length > 0) Object.assign(place, { [pick(random, names)]: pick(random, ODD) });
  else if (Array.isArray(place)) place.push(pick(random, ODD));
  else if (random.integer(2) === 0 && names.length > 0) delete place[pick(random, names)];
  else place[pick(random, ['odd', 'job_id', 'format', 'version', 'x'])] = pick(random, ODD);
  return JSON.stringify(root);
}

function flipped(text: string, random: RandomStream): string {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return '{';
  const at = random.integer(bytes.length);
  bytes[at] = bytes[at]! ^ (1 << random.integer(8));
  return bytes.toString();
}

function* containers(value: Value): Generator<Value[] | { [name: string]: Value }> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* containers(inner);
}

// Requests.

const ROUTES = ['/generate', '/estimate', '/detect_family', '/sample', '/upload'] as const;

/** `count` changed requests: none is answered by 500. */
export async function mutateRequests(count: number, seed: number): Promise<MutationReport> {
  const world = await openWorld(seed, 'requests');
  const job = await uploaded(world);
  const request = { ...requestFor(job), continuous_cols: [], categorical_cols: ['c'], text_cols: ['note'] };
  for (let i = 0; i < count; i++) {
    const route = pick(world.random, ROUTES);
    const [path, init] =
      route === '/upload' ? changedUpload(world.random) : changedBody(world.random, route, job, request);
    const reply = await world.send('POST', path, init);
    const text = await note(world, reply, `${path} ${String(init.body).slice(0, 300)}`);
    await putBack(world, text);
  }
  world.service.close();
  return world.report;
}

async function uploaded({ send }: World): Promise<string> {
  const reply = await send('POST', '/upload', {
    body: multipart([filePart(TABLE)]),
    headers: { 'Content-Type': MULTIPART },
  });
  return z.object({ data: z.object({ job_id: z.string() }) }).parse(await reply.json()).data.job_id;
}

function changedBody(random: RandomStream, route: string, job: string, request: object): [string, RequestInit] {
  const path = route === '/sample' ? `${route}/${job}` : route;
  const body = mutated(JSON.stringify(route === '/detect_family' ? { job_id: job, target_col: 'x' } : request), random);
  return [path, { body, headers: { 'Content-Type': 'application/json' } }];
}

function changedUpload(random: RandomStream): [string, RequestInit] {
  const body = multipart([filePart(TABLE)]);
  return ['/upload', { body: flipped(Buffer.from(body).toString(), random), headers: { 'Content-Type': MULTIPART } }];
}

// Records and objects of a job that is done.

const COLUMNS = [
  'file_name',
  'request',
  'progress',
  'metrics',
  'receipt',
  'created_at',
  'started_at',
  'ended_at',
  'attempt',
];
const READS: readonly [string, (job: string) => string][] = [
  ['GET', (job) => `/status/${job}`],
  ['GET', () => '/jobs'],
  ['GET', (job) => `/receipt/${job}`],
  ['GET', (job) => `/report/${job}.json`],
  ['GET', (job) => `/jobs/${job}/columns`],
  ['GET', (job) => `/download/${job}`],
  ['GET', (job) => `/download/${job}?format=jsonl`],
  ['POST', (job) => `/sample/${job}`],
];

/** `count` changes of a stored record or object: nothing is answered by 500, and no receipt is signed but of the job's own manifest. */
export async function mutateStored(count: number, seed: number): Promise<MutationReport> {
  const world = await openWorld(seed, 'stored');
  const job = await uploaded(world);
  const objects = await finished(world, job);
  const database = openDatabase(world.service.folder);
  const [row] = database.prepare('SELECT * FROM jobs WHERE id = ?').all(job);
  const whole = cellsSchema.parse(row);
  for (let i = 0; i < count; i++) {
    const inRecord = world.random.integer(2) === 0;
    const what = inRecord ? changeRecord() : await changeObject();
    await readAll(world, job, what);
    await mend(inRecord);
  }
  database.close();
  world.service.close();
  return world.report;

  function changeRecord(): string {
    const column = pick(world.random, COLUMNS);
    const old = whole[column];
    const text =
      typeof old === 'string' && /^[[{]/.test(old)
        ? mutated(old, world.random)
        : flipped(String(old ?? ''), world.random);
    const value = column === 'attempt' ? world.random.integer(5) : text;
    database.prepare(`UPDATE jobs SET ${column} = ? WHERE id = ?`).run(value, job);
    return `record: ${column} = ${String(value).slice(0, 200)}`;
  }

  async function changeObject(): Promise<string> {
    const [key, text] = pick(world.random, [...objects]);
    const changed = mutated(text, world.random);
    await world.service.objects.put(key, new TextEncoder().encode(changed));
    return `object ${key}: ${changed.slice(0, 200)}`;
  }

  async function mend(inRecord: boolean): Promise<void> {
    if (inRecord) {
      const set = COLUMNS.map((column) => `${column} = ?`).join(', ');
      database
        .prepare(`UPDATE jobs SET ${set} WHERE id = ?`)
        .run(...COLUMNS.map((column) => whole[column] ?? null), job);
    } else for (const [key, text] of objects) await world.service.objects.put(key, new TextEncoder().encode(text));
  }
}

const cellsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

async function readAll(world: World, job: string, what: string): Promise<void> {
  for (const [method, pathOf] of READS) {
    const path = pathOf(job);
    const init = method === 'POST' ? { body: '{"n_samples": 5}', headers: { 'Content-Type': 'application/json' } } : {};
    const reply = await world.send(method, path, init);
    const text = await note(world, reply, `${path} after ${what}`);
    if (path.startsWith('/receipt') && reply.status === 200 && !isOwnReceipt(text, job)) {
      world.report.faults.push(`${path} after ${what}: signed ${text.slice(0, 300)}`);
    }
    if (path.startsWith('/sample')) await putBack(world, text);
  }
}

const isOwnReceipt = (text: string, job: string): boolean => {
  const { data }: { data: { manifest: unknown } } = JSON.parse(text);
  return JSON.stringify(data.manifest) === JSON.stringify(manifestFor(job));
};

const manifestFor = (job: string) => ({ ...manifestOf(), job_id: job });

const startedSchema = z.object({ data: z.object({ job_id: z.string(), status: z.literal('started') }) });

/** What a request started is over, and its slot free. */
async function putBack({ service }: World, answer: string): Promise<void> {
  const started = startedSchema.safeParse(JSON.parse(answer || 'null'));
  if (!started.success) return;
  const job = await service.jobs.find(started.data.data.job_id);
  if (!job) return;
  await service.jobs.fail(job.id, job.attempt, { code: 'cancelled', params: { reason: 'cancelled' } }, AT);
  await service.jobs.freeSlot(slotOf(job.id, job.attempt));
}

/** Ends the job as its process would; texts of its objects by key. */
async function finished({ service }: World, job: string): Promise<Map<string, string>> {
  const { jobs, objects } = service;
  const manifest = JSON.stringify(manifestFor(job));
  const texts = new Map([
    [resultKey(job, 1), 'x,c\n1,a\n'],
    [manifestKey(job, 1), manifest],
    [modelKey(job, 1), '{"format":"synthetic-tables-model/2"}'],
    [reportKey(job, 1, 'json'), JSON.stringify(reportData.reply.example)],
    [profileKey(job), await textOf(objects, profileKey(job))],
  ]);
  for (const [key, text] of texts) await objects.put(key, new TextEncoder().encode(text));
  await jobs.takeSlot(slotOf(job, 1), 3);
  await jobs.start(job, 1, requestFor(job), AT);
  await jobs.run(job, 1);
  const receipt = { manifest_sha256: sha256Of(new TextEncoder().encode(manifest)), input_salt: SALT };
  await jobs.finish(job, 1, METRICS, receipt, AT);
  await jobs.freeSlot(slotOf(job, 1));
  return texts;
}

async function textOf(objects: TestService['objects'], key: string): Promise<string> {
  const found = await objects.get(key);
  const parts: Uint8Array[] = [];
  if (found) for await (const part of found.body) parts.push(part);
  return Buffer.concat(parts).toString();
}
