import type { Encoding } from '../packages/contract/files.ts';
import type { Grade } from '../packages/contract/grades.ts';
import type { ProgressForm, Shell } from './optionTable.ts';
import type { Settings } from './settings.ts';

/** Each entry is a name or several separated by commas. */
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

export interface ResultOptions {
  /** A path, or '-' for standard output. */
  output: string;
  report: string | null;
  reportForSharing: string | null;
  receipt: string | null;
  json: boolean;
  quiet: boolean;
  /** Null: chosen by the terminal. */
  progress: ProgressForm | null;
  /** Best grade that makes the program fail; null for none. */
  failOn: FailOn | null;
}

export const KEY_VARIABLE = 'SYNTHETIC_TABLES_KEY';

/** Without an address, this machine. */
export interface ServiceOptions {
  url: string | null;
  key: string | null;
  queue: boolean;
  debug: boolean;
}

export interface MakeCommand extends ResultOptions, ServiceOptions {
  kind: 'make';
  /** A path, or '-' for standard input. */
  input: string;
  auto: boolean;
  inspect: boolean;
  /** Undefined for UTF-8 or marked UTF-16. */
  encoding: Encoding | undefined;
  estimate: boolean;
  roles: NamedRoles;
  settings: Settings;
  erase: boolean;
}

export const SAMPLE = 'sample';

/** `synth sample JOB`. */
export interface SampleCommand extends ResultOptions, ServiceOptions {
  kind: typeof SAMPLE;
  jobId: string;
  settings: Pick<Settings, 'n_samples' | 'n_entities' | 'seed' | 'conditions'>;
}

/** `synth compare REAL SYNTHETIC [SYNTHETIC]`. */
export interface CompareCommand extends Pick<ResultOptions, 'report' | 'json' | 'quiet' | 'progress' | 'failOn'> {
  kind: 'compare';
  real: string;
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
