/**
 * `synthetic-tables verify RECEIPT FILE --key KEY`: verifies offline. Exits 0 if the receipt is valid and matches the
 * file, 1 if not, 2 if something is unreadable or the key is missing.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { saltSchema } from '../packages/contract/receipt.ts';
import { counted } from '../packages/words/wording.ts';
import { asksForHelp } from '../server/usage.ts';
import { hashOf } from '../service/hashing.ts';
import { type FoundFile, type FoundInput, readKey, type Verification, verifyReceipt } from './verifyReceipt.ts';

const USAGE = `Usage: synthetic-tables verify receipt.json synthetic_data.csv --key KEY [--input FILE --salt SALT]
  KEY   the service's key, from elsewhere than the receipt: its id or the key itself, as its operator gives it at
        /receipt-key of the service, or a file with that
  SALT  for --input, the file that was uploaded: what "synth --receipt" printed to the owner of the job

Exits 0 if the receipt is valid and matches the file, 1 if not, 2 if something cannot be read.`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

class UsageError extends Error {}

async function main(): Promise<0 | 1 | 2> {
  try {
    if (asksForHelp(process.argv.slice(2))) return printUsage();
    const asked = readArguments();
    const key = await trustedKey(asked.key);
    const receipt = await readFile(asked.receipt, 'utf8');
    const file = await found(asked.table);
    const input = asked.input === undefined ? undefined : await foundInput(asked.input, asked.salt);
    return printVerdict(verifyReceipt({ receipt, file, key, ...(input && { input }) }), asked.table, key);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function printUsage(): 0 {
  say(USAGE);
  return 0;
}

function readArguments() {
  const [text] = [{ type: 'string' as const }];
  const options = { key: text, input: text, salt: text };
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [receipt, table, ...rest] = positionals;
  if (receipt === undefined || table === undefined || rest.length > 0) throw new UsageError(USAGE);
  const { key, input, salt } = values;
  if (key === undefined) {
    throw new UsageError(`Anybody can sign a receipt with a key of their own: --key says whose is right.\n${USAGE}`);
  }
  return { receipt, table, key, input, salt };
}

/** Throws UsageError for anything else than a key or its file. */
async function trustedKey(given: string): Promise<string> {
  const key = readKey(given) ?? readKey(await readFile(given, 'utf8').catch(() => ''));
  if (key === undefined)
    throw new UsageError(`${JSON.stringify(given)} is neither a key nor a file with one.\n${USAGE}`);
  return key;
}

const found = (path: string): Promise<FoundFile> => hashOf(createReadStream(path));

async function foundInput(path: string, salt: string | undefined): Promise<FoundInput> {
  if (salt === undefined) return { ...(await found(path)), commitment: null };
  if (!saltSchema.safeParse(salt).success) throw new UsageError('--salt must have 64 hexadecimal digits.');
  const { sha256: commitment } = await hashOf(createReadStream(path), Buffer.from(salt, 'hex'));
  return { ...(await found(path)), commitment };
}

function printVerdict({ faults, manifest }: Verification, table: string, key: string): 0 | 1 {
  if (faults.length > 0 || !manifest) {
    say(`NOT VERIFIED: ${table}`);
    for (const fault of faults) say(`  ${fault}`);
    return 1;
  }
  const { output, input, software, request } = manifest;
  say(`VERIFIED: ${table}`);
  say(`  ${counted(output.rows, 'row')} of ${counted(output.columns.length, 'column')}, SHA-256 ${output.sha256}`);
  const hash = 'sha256' in input ? `SHA-256 ${input.sha256}` : `salted SHA-256 ${input.commitment}`;
  say(`  made from ${JSON.stringify(input.name)}, ${hash}`);
  say(
    `  by ${software.name} ${software.version} on Node ${software.node}, ${software.platform}, seed ${request.seed}, at ${manifest.made_at}`,
  );
  say(`  signed with the key ${key}`);
  return 0;
}

process.exitCode = await main();
