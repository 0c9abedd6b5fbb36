/** From a real table to a synthetic one: open → fit or restore → draw → finish. Knows nothing of jobs and stores. */
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
  /** Absent if models of text have no tensor engine. */
  openText?: OpenTextResources | undefined;
  /** Source of the noise of a private table; absent: the system's secure generator. */
  openCurator?: OpenCurator;
}

export interface FittedSynthesis extends Synthesis {
  /** Text from which `sampleTable` draws more rows; null if the models are too large to be kept. */
  saved: string | null;
}

/**
 * The same table, request and seed give the same synthetic table, unless it is private. Throws JobError if the data cannot
 * be modelled, and what `progress` throws to stop the work.
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
  /** Rows as the models drew them, not yet compared with real ones. */
  drawn: ModelTable;
  random: RandomStream;
}

/** Makes a table without its figures. */
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
    /** `saved` of the synthesis. */
    models(): Promise<string>;
  };
}

/**
 * More rows from the models, or the private measurements, of a table that was made. They are measured against the same real
 * rows and pass the same gate, so the table is read again. Only a rule of the gate may fit models to parts of a small table.
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
  /** Seed under which the models are, or were, fitted. */
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
