/** Commands besides making a table, for the help and for misspellings. */
import { didYouMean } from '../packages/words/nearNames.ts';

export const COMMANDS = [
  { name: 'sample', takes: 'JOB --url URL', does: 'more rows from the model of a finished job of a service' },
  {
    name: 'compare',
    takes: 'REAL SYNTHETIC…',
    does: 'judge a synthetic table that was made anywhere, or two',
  },
  { name: 'serve', takes: '', does: 'run the service on this machine' },
  { name: 'keys', takes: 'create | list | revoke', does: 'manage the API keys of the service' },
  { name: 'backup', takes: 'FOLDER', does: 'copy the data folder of the service, while it runs' },
  { name: 'verify', takes: 'RECEIPT FILE --key KEY', does: 'check a receipt and its file' },
  { name: 'text-base', takes: '[FOLDER]', does: 'fetch the base language model for text columns' },
] as const;

export const meantCommand = (word: string): string =>
  didYouMean(
    word,
    COMMANDS.map(({ name }) => name),
    (name) => `synth ${name}`,
  );
