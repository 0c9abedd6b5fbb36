/** How `synth` ends. Said once for the program, its help and the README. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  input: 3,
  job: 4,
  service: 5,
  output: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANING: readonly [ExitCode, string][] = [
  [EXIT.done, 'the synthetic table is written'],
  [EXIT.fault, 'a fault of the program'],
  [EXIT.usage, 'the command line asks for what cannot be: an unknown option, column or value'],
  [EXIT.input, 'the table cannot be read'],
  [EXIT.job, 'the table was read, but no synthetic one could be made of it, or its policy withholds the rows'],
  [EXIT.service, 'the service at --url was not reached, is full, or refused the key'],
  [EXIT.output, 'the result cannot be written'],
  [EXIT.interrupted, 'stopped by Ctrl-C'],
];

/** Ends the program with a message for its user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
