/** The one contract of all models: fit from data and a random stream; sample given what is already made; save; restore. */

import type { Family } from '../../domain/schema/families.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { TensorEngine } from '../tensor/engine.ts';
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
  family: Family | null;
  textEpochs: number;
  textSampling: Sampling;
  /** Levels of a few rows may come out. */
  keepRare: boolean;
}

/** Says what is done and lets the process breathe; throws where the job was stopped. */
export type Report = (line: string) => Promise<void>;

/** What a model of text runs on and starts from. */
export interface TextResources {
  engine: TensorEngine;
  /** Null where there is none on this machine. */
  base: TextBase | null;
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
  report: Report;
  /** Says nothing; throws where the job was stopped, and lets the process breathe. */
  breathe(): Promise<void>;
  /** Absent where there is no tensor engine. */
  openText?: OpenTextResources;
}

export interface SampleTask {
  rows: number;
  /** Columns already made, `given` of the fit among them. */
  made: ModelTable;
  random: RandomStream;
  /** The rows stand for the table as a whole: no condition chose them, and few were left out for what they are. */
  representative?: true;
  report: Report;
  /** Says nothing; throws where the job was stopped, and lets the process breathe. Left out: reports alone do. */
  breathe?(): Promise<void>;
  /** For models that were restored. Absent where there is no tensor engine. */
  openText?: OpenTextResources;
}

export interface FittedModel {
  /**
   * The fitted columns, in the order of the fit. Categories have missing cells as the data have; numbers and texts are
   * there in every row (a column with no cell to learn from stays missing): which of their cells are missing is decided
   * outside, by indicator columns among the categories.
   */
  sample(task: SampleTask): Promise<ModelColumn[]>;
  /** JSON from which `Model.restore` makes an equal model: the same stream gives the same sample. */
  save(): JsonValue;
  /** Plain facts about the fit. `notes`, where there are some, are sentences for people, and go to `metrics.notes`. */
  diagnostics(): { [key: string]: JsonValue };
}

export interface Model {
  /** What it is, by the field's name for it. */
  readonly name: string;
  fit(task: FitTask): Promise<FittedModel>;
  /** Throws ZodError where `saved` was not made by `save` of this model. */
  restore(saved: unknown): FittedModel;
}
