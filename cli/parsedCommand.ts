/** What `synth` was asked to do, as its command line says it. */
import type { Encoding } from '../packages/contract/files.ts';
import type { Grade } from '../packages/contract/grades.ts';
import type { ProgressForm, Shell } from './optionTable.ts';
import type { Settings } from './settings.ts';

/** Columns as they were named: each a name, or several with commas between. */
export interface NamedRoles {
  target: string | null;
  noTarget: boolean;
  continuous: readonly string[];
  categorical: readonly string[];
  text: readonly string[];
  ignore: readonly string[];
}

export const FAIL_ON = ['mixed', 'poor'] as const satisfies readonly Grade[];
type FailOn = (typeof FAIL_ON)[number];

/** Where the rows go, what goes beside them and what is said. */
export interface ResultOptions {
  /** A path, or '-' for standard output. */
  output: string;
  /** Paths of what is written beside the table. */
  report: string | null;
  reportForSharing: string | null;
  receipt: string | null;
  json: boolean;
  quiet: boolean;
  /** How progress is shown; null for what suits the terminal, or its absence. */
  progress: ProgressForm | null;
  /** The best grade of a verdict with which the program fails; null where none does. */
  failOn: FailOn | null;
}

export const KEY_VARIABLE = 'SYNTHETIC_TABLES_KEY';

/** Which service; without an address, this machine. */
export interface ServiceOptions {
  url: string | null;
  key: string | null;
  /** Whether a job waits for its turn where no slot is free. */
  queue: boolean;
  debug: boolean;
}

export interface MakeCommand extends ResultOptions, ServiceOptions {
  kind: 'make';
  /** A path, or '-' for standard input. */
  input: string;
  auto: boolean;
  inspect: boolean;
  /** Of a text file; undefined where it is UTF-8, or marked as UTF-16. */
  encoding: Encoding | undefined;
  estimate: boolean;
  roles: NamedRoles;
  settings: Settings;
  erase: boolean;
}

export const SAMPLE = 'sample';

/** `synth sample JOB`: more rows from the model of a job of a service. */
export interface SampleCommand extends ResultOptions, ServiceOptions {
  kind: typeof SAMPLE;
  jobId: string;
  settings: Pick<Settings, 'n_samples' | 'n_entities' | 'seed' | 'conditions'>;
}

/** `synth compare REAL SYNTHETIC [SYNTHETIC]`: tables that were made anywhere, judged. */
export interface CompareCommand extends Pick<ResultOptions, 'report' | 'json' | 'quiet' | 'progress' | 'failOn'> {
  kind: 'compare';
  real: string;
  /** One, or two beside each other. */
  synthetic: readonly string[];
  holdout: string | null;
  encoding: Encoding | undefined;
  auto: boolean;
  estimate: boolean;
  roles: NamedRoles;
  seed: number | null;
  debug: boolean;
}

export type Command =
  | MakeCommand
  | SampleCommand
  | CompareCommand
  | { kind: 'help'; topic: string | null }
  | { kind: 'version' }
  | { kind: 'completion'; shell: Shell };
