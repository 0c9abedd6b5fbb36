/** The one contract of all models: fit from data and a random stream; sample given what is already made; save; restore. */

import type { Worker } from 'node:worker_threads';
import { JobError } from '../../contract/errors.ts';
import type { ProgressEvent } from '../../contract/events.ts';
import type { TargetFamily } from '../../contract/families.ts';
import type { ThreadWork } from '../../contract/problems.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Sampler } from '../../numerics/regression/samplers.ts';
import type { TensorEngine } from '../../numerics/tensor/graph.ts';
import * as workers from '../../numerics/workers.ts';
import type { TextBase } from './text/base/textBase.ts';
import type { CheckpointStore } from './text/network/checkpoint.ts';
import type { Sampling } from './text/sampleToken.ts';

/** Numbers; NaN is a missing cell. */
export interface NumericColumn {
  kind: 'numeric';
  name: string;
  values: Float64Array;
}

/** Levels; code -1 is a missing cell. */
export interface CategoryColumn {
  kind: 'category';
  name: string;
  codes: Int32Array;
  levels: readonly string[];
  /** True where the levels are no cells but say whether and how another column's cells are missing. */
  indicator?: true;
}

/** Free text; null is a missing cell. */
export interface TextColumn {
  kind: 'text';
  name: string;
  values: (string | null)[];
}

export type ModelColumn = NumericColumn | CategoryColumn | TextColumn;

/** A table as models see it. Columns have equal lengths. */
export interface ModelTable {
  rows: number;
  columns: ReadonlyMap<string, ModelColumn>;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface FitSettings {
  /** Posterior draws and warm-up steps, per chain. */
  draws: number;
  tune: number;
  /** The target's family; null where there is no target. */
  family: TargetFamily | null;
  sampler: Sampler;
  /** Whether the target's draws are calibrated to its margin; else they are left as they are. */
  calibrate: boolean;
  textEpochs: number;
  textSampling: Sampling;
  /** Levels of a few rows may be released. */
  keepRare: boolean;
}

/** Reports what is done, and yields to the event loop; throws where the work is to stop. */
export type OnProgress = (event: ProgressEvent) => Promise<void>;

/** What a model of text runs on and starts from. */
export interface TextResources {
  engine: TensorEngine;
  /** Null where there is none on this machine. */
  base: TextBase | null;
  /** A small base, all of whose weights are trained where there is no larger one. */
  compact?: TextBase;
  /** Why a base that should be there cannot be used, in words; null where it can, or none is asked for. */
  baseProblem: string | null;
  /** Where training is kept, so that a job whose machine is taken away goes on after its last epoch. */
  checkpoints?: CheckpointStore;
}

/** Opened where it is needed: it takes seconds. */
export type OpenTextResources = () => Promise<TextResources>;

export interface FitTask {
  table: ModelTable;
  /** Columns to model, by name, in order. */
  columns: readonly string[];
  /** Columns that will be there when rows are sampled: the model may condition on them. */
  given: readonly string[];
  settings: FitSettings;
  random: RandomStream;
  onProgress: OnProgress;
  /** Says nothing; throws where the job was stopped, and lets the process yieldToEventLoop. */
  yieldToEventLoop(): Promise<void>;
  /** Threads that fit the trees of numbers, which changes nothing of them: as many as pay where it is left out, none for 0. */
  threads?: number;
  /** Absent where there is no tensor engine. */
  openText?: OpenTextResources;
  /** Whose each row is, those of one owner one under the other: what is kept from few rows is kept from few owners. Absent where each row is its own. */
  owners?: Int32Array;
}

export interface SampleTask {
  rows: number;
  /** Columns already made, `given` of the fit among them. */
  made: ModelTable;
  random: RandomStream;
  /** The rows stand for the table as a whole: no condition chose them, and few were left out for what they are. */
  representative?: true;
  /** By column, the rows whose cells will be there, where some will not: keys are given to those alone. */
  present?: ReadonlyMap<string, Int32Array>;
  /** Threads that draw, which changes nothing of the rows: as many as pay where it is left out, none for 0. */
  threads?: number;
  onProgress: OnProgress;
  /** Says nothing; throws where the job was stopped, and lets the process yieldToEventLoop. Left out: reports alone do. */
  yieldToEventLoop?(): Promise<void>;
  /** For models that were restored. Absent where there is no tensor engine. */
  openText?: OpenTextResources;
}

export interface FittedModel {
  /**
   * The fitted columns, in the order of the fit. Categories have missing cells as the data have; numbers and texts are
   * there in every row (a column without a single cell stays missing): which of their cells are missing is decided
   * outside, by indicator columns among the categories.
   */
  sample(task: SampleTask): Promise<ModelColumn[]>;
  /** JSON from which `Model.restore` makes an equal model: the same stream gives the same sample. */
  save(): JsonValue;
  /** By column, the levels that are not released; absent where the model releases all that it has. */
  suppressed?(): ReadonlyMap<string, readonly string[]>;
  /** How it does on rows that it has not seen, as plain facts; null where they are too few. Absent where the model says nothing of that. */
  assess?(holdout: ModelTable): JsonValue;
  /** Plain facts about the fit. `notes`, where there are some, are sentences for people, and go to `metrics.notes`. */
  diagnostics(): { [key: string]: JsonValue };
}

export interface Model {
  /** What it is, by the field's name for it. */
  readonly name: string;
  /** Names that it had before, under which saved models open, too. */
  readonly formerly?: readonly string[];
  fit(task: FitTask): Promise<FittedModel>;
  /** Throws ZodError where `saved` was not made by `save` of this model. */
  restore(saved: unknown): FittedModel;
}

// Columns of a table by name. Each throws RangeError where the table has none of this name and kind.

export function numericColumn(table: ModelTable, name: string): NumericColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric column ${JSON.stringify(name)}`);
  return column;
}

export function categoryColumn(table: ModelTable, name: string): CategoryColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'category') throw new RangeError(`no categorical column ${JSON.stringify(name)}`);
  return column;
}

export function textColumn(table: ModelTable, name: string): TextColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'text') throw new RangeError(`no text column ${JSON.stringify(name)}`);
  return column;
}

/** The cell of a text or a category; null where it is missing, and of numbers. */
export function cellAt(column: ModelColumn | undefined, row: number): string | null {
  if (column?.kind === 'text') return column.values[row] ?? null;
  return column?.kind === 'category' ? (column.levels[column.codes[row]!] ?? null) : null;
}

// Rows in pieces: after each piece a model reports, so that a job can be stopped and its process answers.

const CHUNK_ROWS = 50_000;

/** From one to before another. */
export interface Rows {
  from: number;
  to: number;
}

export function* chunks(rows: number, size = CHUNK_ROWS): Generator<Rows> {
  for (let from = 0; from < rows; from += size) yield { from, to: Math.min(rows, from + size) };
}

/** Reports that a loop over columns makes, at most. */
const REPORTS = 10;

/** True after the last of `count` columns, and evenly before it: so often is it time to report. */
export const isTurn = (at: number, count: number): boolean =>
  at + 1 === count || Math.floor(((at + 1) * REPORTS) / count) > Math.floor((at * REPORTS) / count);

// Worker threads of models: one that dies fails the job.

/** As `replyOf` of the workers, but throws JobError where the thread dies; `work` is what it did. */
export const replyOf = <Reply>(worker: Worker, work: ThreadWork): Promise<Reply> =>
  workers.replyOf<Reply>(worker).catch((error) => {
    throw error instanceof workers.WorkerDiedError ? threadFailure(error, work) : error;
  });

export function threadFailure({ outOfMemory, cause }: workers.WorkerDiedError, work: ThreadWork): JobError {
  if (outOfMemory) return new JobError({ reason: 'memory_limit' });
  return new JobError({ reason: 'thread_crashed', work }, { cause });
}
