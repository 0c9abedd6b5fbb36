import type { ErrorCode } from '../packages/client/contract.ts';
import { JobFailedError, RefusedError, SyntheticTablesError } from '../packages/client/errors.ts';
import { JobError, ServiceError } from '../packages/contract/errors.ts';
import { problemText } from '../packages/words/problems.ts';
import { failureFrom, OUT_OF_MEMORY } from '../service/job/failures.ts';

/** Exit codes of `synth`, for the program, its help and the README. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  input: 3,
  job: 4,
  service: 5,
  output: 6,
  verdict: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANING: readonly [ExitCode, string][] = [
  [EXIT.done, 'the synthetic table is written'],
  [EXIT.fault, 'a fault in the program'],
  [EXIT.usage, 'an unknown option, column or value on the command line'],
  [EXIT.input, 'the table cannot be read'],
  [EXIT.job, 'the table was read but no synthetic one could be made, or its release policy withholds the rows'],
  [EXIT.service, 'the service at --url could not be reached, is full, or refused the key'],
  [EXIT.output, 'the result cannot be written'],
  [EXIT.verdict, 'the synthetic table is written, but a verdict is at least as bad as --fail-on'],
  [EXIT.interrupted, 'stopped by Ctrl-C'],
];

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export const misuse = (message: string): CliError => new CliError(EXIT.usage, message);

export const SEE_HELP = 'See synth --help.';

const OF_INPUT: readonly ErrorCode[] = [
  'missing_file',
  'unsupported_file_type',
  'empty_file',
  'no_data_rows',
  'encoding_error',
  'parse_error',
  'file_too_large',
];
const OF_USAGE: readonly ErrorCode[] = ['invalid_parameter', 'column_not_found', 'missing_target'];

export function exitOf(error: unknown): { code: ExitCode; message: string } {
  if (error instanceof CliError) return { code: error.exitCode, message: error.message };
  if (error instanceof SyntheticTablesError) {
    return { code: codeOf(error), message: `${error.code}: ${problemText(error, 'cli')}` };
  }
  if (error instanceof ServiceError || error instanceof JobError) {
    const code = error instanceof JobError ? EXIT.job : refusalCode(error.code);
    return { code, message: `${error.code}: ${problemText(error, 'cli')}` };
  }
  const failure = failureFrom(error);
  if (failure.code === OUT_OF_MEMORY.code) {
    return { code: EXIT.job, message: `${failure.code}: ${problemText(failure, 'cli')}` };
  }
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: EXIT.fault, message: `A fault in the program, not in your request.\n${said}` };
}

function codeOf(error: SyntheticTablesError): ExitCode {
  if (error instanceof JobFailedError) return error.code === 'cancelled' ? EXIT.interrupted : EXIT.job;
  return error instanceof RefusedError ? refusalCode(error.code) : EXIT.service;
}

function refusalCode(code: ErrorCode): ExitCode {
  if (code === 'withheld' || code === 'too_few_rows') return EXIT.job;
  if (OF_INPUT.includes(code)) return EXIT.input;
  return OF_USAGE.includes(code) ? EXIT.usage : EXIT.service;
}

const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'you may not',
  EPERM: 'you may not',
  EISDIR: 'it is a folder',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
};

export function systemFault(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return ('code' in cause && SYSTEM_FAULTS[String(cause.code)]) || cause.message;
}
