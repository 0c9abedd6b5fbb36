/** The interface of all models. */

import type { ProgressEvent } from '../../contract/events.ts';
import type { TargetFamily } from '../../contract/families.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Sampler } from '../../numerics/regression/samplers.ts';
import type { TensorEngine } from '../../numerics/tensor/graph.ts';
import type { TextBase } from './text/base/textBase.ts';
import type { CheckpointStore } from './text/network/checkpoint.ts';
import type { Sampling } from './text/sampleToken.ts';

/** NaN is a missing cell. */
export interface NumericColumn {
  kind: 'numeric';
  name: string;
  values: Float64Array;
}

/** Code -1 is a missing cell. */
export interface CategoryColumn {
  kind: 'category';
  name: string;
  codes: Int32Array;
  levels: readonly string[];
  /** The levels give whether and how the cells of another column are missing. */
  indicator?: true;
}

/** Null is a missing cell. */
export interface TextColumn {
  kind: 'text';
  name: string;
  values: (string | null)[];
}

export type ModelColumn = NumericColumn | CategoryColumn | TextColumn;

/** Columns have equal lengths. */
export interface ModelTable {
  rows: number;
  columns: ReadonlyMap<string, ModelColumn>;
}

/** `JSON.stringify` leaves out what is undefined. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue | undefined };

export interface FitSettings {
  /** Posterior draws and warm-up steps per chain. */
  draws: number;
  tune: number;
  /** Null without a target. */
  family: TargetFamily | null;
  sampler: Sampler;
  /** Calibrates the target's draws to its margin. */
  calibrate: boolean;
  textEpochs: number;
  textSampling: Sampling;
  /** Releases levels that only a few rows have. */
  keepRare: boolean;
}

/** Reports progress and yields to the event loop. Throws if the job must stop. */
export type OnProgress = (event: ProgressEvent) => Promise<void>;

export interface TextResources {
  engine: TensorEngine;
  base: TextBase | null;
  /** A small base, trained whole if there is no larger one. */
  compact?: TextBase;
  /** Why a configured base cannot be used, in words. */
  baseProblem: string | null;
  /** Lets an interrupted job resume after its last epoch. */
  checkpoints?: CheckpointStore;
}

/** Takes seconds, so call it only if needed. */
export type OpenTextResources = () => Promise<TextResources>;

export interface FitTask {
  table: ModelTable;
  /** Names of the columns to model. */
  columns: readonly string[];
  /** Columns to condition on, which exist when rows are sampled. */
  given: readonly string[];
  settings: FitSettings;
  random: RandomStream;
  onProgress: OnProgress;
  /** Yields to the event loop without reporting progress. Throws if the job was stopped. */
  yieldToEventLoop(): Promise<void>;
  /** Threads for trees; defaults to as many as pay off, and 0 uses none. Does not change results. */
  threads?: number;
  /** Absent without a tensor engine. */
  openText?: OpenTextResources;
  /** Owner of each row, those of one owner adjacent. Privacy thresholds then count owners, not rows. */
  owners?: Int32Array;
}

export interface SampleTask {
  rows: number;
  /** Columns already made, including `given` of the fit. */
  made: ModelTable;
  random: RandomStream;
  /** The rows represent the whole table: no condition chose them, and few were rejected. */
  representative?: true;
  /** Rows whose cells will be present, by column; only those get keys. */
  present?: ReadonlyMap<string, Int32Array>;
  /** As in FitTask. */
  threads?: number;
  onProgress: OnProgress;
  /** As in FitTask. */
  yieldToEventLoop?(): Promise<void>;
  /** Needed by restored models. */
  openText?: OpenTextResources;
}

export interface FittedModel {
  /**
   * Returns the fitted columns in order. Only categories have missing cells; indicator columns decide outside which
   * numbers and texts are missing. A column without cells stays missing.
   */
  sample(task: SampleTask): Promise<ModelColumn[]>;
  /** Returns JSON for `Model.restore`. The restored model gives the same sample from the same stream. */
  save(): JsonValue;
  /** Levels that are not released, by column. */
  suppressed?(): ReadonlyMap<string, readonly string[]>;
  /** Evaluates the model on unseen rows; null if they are too few. */
  assess?(holdout: ModelTable): JsonValue;
  /** Sentences under `notes` go to `metrics.notes`. */
  diagnostics(): { [key: string]: JsonValue };
}

export interface Model {
  readonly name: string;
  /** Earlier names in saved models. */
  readonly formerly?: readonly string[];
  fit(task: FitTask): Promise<FittedModel>;
  /** Throws ZodError if `save` of this model did not make `saved`. */
  restore(saved: unknown): FittedModel;
}

// Each function throws RangeError if the table has no such column.

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

/** Returns null for numbers and missing cells. */
export function cellAt(column: ModelColumn | undefined, row: number): string | null {
  if (column?.kind === 'text') return column.values[row] ?? null;
  return column?.kind === 'category' ? (column.levels[column.codes[row]!] ?? null) : null;
}

// Models report after each chunk, so that a job can be stopped.

const CHUNK_ROWS = 50_000;

export interface Rows {
  from: number;
  to: number;
}

export function* chunks(rows: number, size = CHUNK_ROWS): Generator<Rows> {
  for (let from = 0; from < rows; from += size) yield { from, to: Math.min(rows, from + size) };
}

const REPORTS = 10;

export const isTurn = (at: number, count: number): boolean =>
  at + 1 === count || Math.floor(((at + 1) * REPORTS) / count) > Math.floor((at * REPORTS) / count);
