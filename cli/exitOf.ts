/** How the program ends after what was thrown, and what it says. */

import type { ErrorCode } from '../client/contract.ts';
import { ConnectionError, JobFailedError, RefusedError, UnexpectedReplyError } from '../client/errors.ts';
import { CliError, EXIT, type ExitCode } from './exitCodes.ts';

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
  if (error instanceof JobFailedError) {
    return {
      code: error.code === 'cancelled' ? EXIT.interrupted : EXIT.job,
      message: `${error.code}: ${error.message}`,
    };
  }
  if (error instanceof RefusedError) return { code: codeOf(error.code), message: `${error.code}: ${error.message}` };
  if (error instanceof ConnectionError || error instanceof UnexpectedReplyError) {
    return { code: EXIT.service, message: error.message };
  }
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: EXIT.fault, message: `A fault of the program, not of what you asked for.\n${said}` };
}

function codeOf(code: ErrorCode): ExitCode {
  if (code === 'withheld') return EXIT.job;
  if (OF_INPUT.includes(code)) return EXIT.input;
  return OF_USAGE.includes(code) ? EXIT.usage : EXIT.service;
}
