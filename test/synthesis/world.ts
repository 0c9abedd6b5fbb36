/** Jobs over made-up uploads, run through the pipeline on ports kept in memory. */

import { z } from 'zod';
import { runJob } from '../../gpu-job/runJob.ts';
import type { ColumnProfile } from '../../packages/contract/columns.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../packages/contract/requests.ts';
import { drawTable } from '../../packages/synthesis/make.ts';
import { writeTable } from '../../packages/synthesis/write.ts';
import { inferCellFormat } from '../../packages/tables/format/cellFormat.ts';
import { inferFormat } from '../../packages/tables/format/number.ts';
import type { Profile } from '../../packages/tables/profile/profile.ts';
import { readTable } from '../../packages/tables/readTable.ts';
import { type CellColumn, type CellTable, cellAt } from '../../packages/tables/table.ts';
import { hashOf } from '../../service/hashing.ts';
import type { Job } from '../../service/job/job.ts';
import { modelKey, profileKey, resultKey, uploadKey } from '../../service/job/objectKeys.ts';
import { SOFTWARE } from '../support/jobFixtures.ts';
import { type MemoryService, memoryService } from '../support/memoryService.ts';

const DIALECT = { format: 'csv' as const, encoding: 'utf-8' as const, delimiter: ',' };
const JOB = 'job';
const ATTEMPT = 1;
const SHORT = { family: 'gaussian' as const, seed: 1, draws: 100, tune: 100 };

export type Asked = Omit<GenerateRequestBody, 'job_id'>;

export interface World {
  service: MemoryService;
  run(signal?: AbortSignal): Promise<void>;
  job(): Job;
  file(): string;
  models(): unknown;
}

export interface Outcome {
  job: Job;
  csv: string;
  table: CellTable;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

export const tableOf = (csv: string): Promise<CellTable> => readTable(bytesOf(csv), DIALECT);

/** What the pipeline asks of a profile; the rest is made up. */
function profileColumn({ name, levels }: CellColumn, missingToken: string): ColumnProfile {
  const format = inferFormat(levels);
  return {
    name,
    kind: 'categorical',
    confidence: 1,
    suggested_role: 'categorical',
    evidence: [],
    runner_up: null,
    missing: 0,
    missing_token: missingToken,
    missing_tokens: [],
    distinct: levels.length,
    distinct_exact: true,
    top_levels: [],
    format: inferCellFormat(levels) ?? null,
    numbers: format ? { count: 1, format, mean: 0, sd: 1, zeros: 0, quantiles: [] } : null,
    lengths: null,
  };
}

export async function profileOf(csv: string, missingToken = ''): Promise<Profile> {
  const { rows, columns } = await tableOf(csv);
  const sample = { rows: 0, cells: columns.map(() => []) };
  const profiles = columns.map((column) => profileColumn(column, missingToken));
  return { version: 1, dialect: DIALECT, rows, columns: profiles, warnings: [], relations: [], sample };
}

/** A running job over an upload, `missing` being the token of missing cells or a whole profile. The family is gaussian and the seed 1 where the request does not say. */
export async function worldOf(csv: string, asked: Asked, missing: string | Profile = ''): Promise<World> {
  const service = memoryService({ clock: tickingClock() });
  const { jobs, objects, clock } = service;
  const request = generateRequestSchema.parse({
    ...SHORT,
    ...asked,
    job_id: JOB,
  });
  const at = clock.now().toISOString();
  const { bytes: fileBytes, sha256: fileSha256 } = await hashOf(bytesOf(csv));
  await jobs.create({ id: JOB, keyId: 'key', fileName: 'table.csv', fileBytes, fileSha256, createdAt: at });
  await objects.put(uploadKey(JOB), bytesOf(csv));
  await objects.put(
    profileKey(JOB),
    bytesOf(JSON.stringify(typeof missing === 'string' ? await profileOf(csv, missing) : missing)),
  );
  await jobs.start(JOB, ATTEMPT, request, at);
  await jobs.run(JOB, ATTEMPT);
  const text = (key: string): string => new TextDecoder().decode(service.files.get(key));
  return {
    service,
    run: (signal = new AbortController().signal) =>
      runJob({ jobs, objects, clock, software: SOFTWARE, jobId: JOB, attempt: ATTEMPT, signal }),
    job: () => service.records.get(JOB)!,
    file: () => text(resultKey(JOB, ATTEMPT)),
    models: () => JSON.parse(text(modelKey(JOB, ATTEMPT))),
  };
}

/** A clock that moves on by 0.1 s each time it is read. */
function tickingClock() {
  let now = Date.parse('2026-11-03T09:15:00Z');
  return {
    now: () => {
      now += 100;
      return new Date(now);
    },
  };
}

/** Runs a job to its end. `missing`: the token of missing cells, or a whole profile. */
export async function outcomeOf(csv: string, asked: Asked, missing: string | Profile = ''): Promise<Outcome> {
  const world = await worldOf(csv, asked, missing);
  await world.run();
  const text = world.file();
  return { job: world.job(), csv: text, table: await tableOf(text) };
}

/** The rows as the models draw them, for what does not depend on metrics and reports: half of a small job's time. */
export interface Drawn {
  csv: string;
  table: CellTable;
  /** What the plan and the models have to say. */
  notes: string[];
  /** Of each model. */
  diagnostics: Record<string, unknown>[];
}

/** Fits and draws what a job of `outcomeOf` would, without measuring it. */
export async function drawnOf(csv: string, asked: Asked, missing: string | Profile = ''): Promise<Drawn> {
  const request = generateRequestSchema.parse({ ...SHORT, ...asked, job_id: JOB });
  const profile = typeof missing === 'string' ? await profileOf(csv, missing) : missing;
  const load = async () => ({ profile, cells: await tableOf(csv) });
  const progress = { onProgress: silent, yieldToEventLoop: silent };
  const { opened, generator, drawn, random } = await drawTable({ load, request, seed: request.seed ?? 0, progress });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of writeTable({ plan: opened.plan, synthetic: drawn, random }, silent))
    text += decoder.decode(bytes, { stream: true });
  const diagnostics = generator.models.map(({ fitted }) => fitted.diagnostics());
  const notes = [...opened.notes, ...diagnostics.flatMap((each) => z.array(z.string()).catch([]).parse(each.notes))];
  return { csv: text, table: await tableOf(text), notes, diagnostics };
}

const silent = async (): Promise<void> => {};

export function cellsOf(table: CellTable, name: string): (string | null)[] {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column) throw new RangeError(`no column ${name}`);
  return Array.from(column.codes, (_, row) => cellAt(column, row));
}

export const shareMissing = (cells: (string | null)[]): number =>
  cells.filter((cell) => cell === null).length / cells.length;
