/** Makes a synthetic table: open → fit or restore → draw → finish. Independent of jobs and stores. */
import { namedColumns } from '../contract/columns.ts';
import type { ProgressEvent } from '../contract/events.ts';
import type { TableRequest } from '../contract/requests.ts';
import { createStream } from '../numerics/random/createStream.ts';
import type { RandomStream } from '../numerics/random/stream.ts';
import type { CellTable } from '../tables/table.ts';
import { finish, type Synthesis } from './finish.ts';
import type { Generator, ModelSource, OpenedTable, RealTable } from './methods/method.ts';
import { openTable } from './methods/openTable.ts';
import type { OpenCurator } from './methods/private/privateMethod.ts';
import type { ModelTable, OpenTextResources } from './models/model.ts';
import { MODELS } from './models/registry.ts';
import type { Progress } from './progress.ts';
import { isPrivate } from './request/checkPrivacy.ts';

export interface MakeTask {
  /** Called once, after the first event. */
  load(): Promise<RealTable>;
  /** Checked against the profile (`checkRequest`). */
  request: TableRequest;
  seed: number;
  progress: Progress;
  openText?: OpenTextResources | undefined;
  /** Noise source of private tables; by default the system's secure generator. */
  openCurator?: OpenCurator;
}

export interface FittedSynthesis extends Synthesis {
  /** Input of `sampleTable`; null if too large to keep. */
  saved: string | null;
}

/**
 * Reproducible from table, request and seed, unless private. Throws JobError if the data cannot be modelled, and throws
 * if the job was stopped.
 */
export async function makeTable(task: MakeTask): Promise<FittedSynthesis> {
  const drawing = await drawTable(task);
  const made = await finish({ ...task, ...drawing });
  const saved = drawing.generator.save(made.metrics.verdicts);
  const notes = saved === null ? [...made.metrics.notes, TOO_LARGE] : made.metrics.notes;
  return { ...made, metrics: { ...made.metrics, notes }, saved };
}

const TOO_LARGE = 'The models are too large to be kept, so no more rows can be drawn from them.';

export interface DrawnTable {
  opened: OpenedTable;
  generator: Generator;
  drawn: ModelTable;
  random: RandomStream;
}

export async function drawTable(task: MakeTask): Promise<DrawnTable> {
  await task.progress.onProgress(firstEvent(task.request));
  const random = createStream(task.seed, 'job');
  const opened = await open(task, { source: null, seed: task.seed, random });
  const generator = await opened.fit();
  const drawn = await generator.draw(random.child('generate'), opened.notes);
  return { opened, generator, drawn, random };
}

export interface SampleTask extends MakeTask {
  source: ModelSource & {
    models(): Promise<string>;
  };
}

/**
 * Draws more rows from saved models or private measurements, measured and gated against the same real rows. Refits
 * models only if a release rule needs it.
 */
export async function sampleTable(task: SampleTask): Promise<Synthesis> {
  const { progress, source, seed } = task;
  await progress.onProgress({ stage: 'start', fact: 'restored_model', job_id: source.jobId });
  const random = createStream(seed, 'sample');
  const opened = await open(task, { source, seed: source.seed, random });
  const generator = await opened.restore(await source.models());
  const drawn = await generator.draw(random.child('generate'), opened.notes);
  return finish({ ...task, opened, generator, drawn, random });
}

interface Run {
  source: ModelSource | null;
  seed: number;
  random: RandomStream;
}

async function open({ load, ...task }: MakeTask, run: Run): Promise<OpenedTable> {
  const real = await load();
  await task.progress.onProgress(tableRead(real.cells));
  const fitting = createStream(run.seed, 'job');
  return openTable({ ...task, ...run, real, fitting, openText: task.openText }, task.openCurator);
}

export const tableRead = ({ rows, columns }: CellTable): ProgressEvent => ({
  stage: 'load',
  fact: 'table_read',
  rows,
  columns: columns.length,
});

function firstEvent(request: TableRequest): ProgressEvent {
  const { target_col: column, text_cols: columns, family, draws } = request;
  const isModelled = !isPrivate(request);
  if (isModelled && column !== null)
    return { stage: 'start', fact: 'target_model', model: MODELS.target.name, column, family, draws };
  if (isModelled && columns.length > 0) return { stage: 'start', fact: 'text_model', model: MODELS.text.name, columns };
  return { stage: 'start', fact: 'no_target', columns: namedColumns(request).length };
}
