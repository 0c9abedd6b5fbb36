/**
 * `synthetic-tables verify receipt.json synthetic_data.csv [--key KEY]`: checks a receipt and its file without the service. KEY:
 * `key_id` or `public_key` of GET /receipt-key. Ends with 0 where both are as they were made, 1 where they are not, 2
 * where they cannot be read.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { counted } from '../packages/words/wording.ts';
import { type FoundFile, type Verification, verifyReceipt } from './verifyReceipt.ts';

const USAGE = 'Usage: synthetic-tables verify receipt.json synthetic_data.csv [--key KEY]';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<0 | 1 | 2> {
  const asked = readArguments();
  if (!asked) return refuse(USAGE);
  try {
    const [text, file] = [await readFile(asked.receipt, 'utf8'), await hashOf(asked.table)];
    return printVerdict(await verifyReceipt(text, file, asked.key), asked);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

interface Asked {
  receipt: string;
  table: string;
  key: string | undefined;
}

function readArguments(): Asked | undefined {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { key: { type: 'string' } } });
    const [receipt, table, ...rest] = positionals;
    if (receipt === undefined || table === undefined || rest.length > 0) return undefined;
    return { receipt, table, key: values.key };
  } catch {
    return undefined;
  }
}

async function hashOf(path: string): Promise<FoundFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

function printVerdict({ faults, manifest, keyId }: Verification, { table, key }: Asked): 0 | 1 {
  if (faults.length > 0 || !manifest) {
    say(`NOT VERIFIED: ${table}`);
    for (const fault of faults) say(`  ${fault}`);
    return 1;
  }
  const { output, input, software, request } = manifest;
  say(`VERIFIED: ${table}`);
  say(`  ${counted(output.rows, 'row')} of ${counted(output.columns.length, 'column')}, SHA-256 ${output.sha256}`);
  say(`  made from ${JSON.stringify(input.name)}, SHA-256 ${input.sha256}`);
  say(
    `  by ${software.name} ${software.version} on Node ${software.node}, ${software.platform}, seed ${request.seed}, at ${manifest.made_at}`,
  );
  say(`  signed with the key ${keyId}`);
  if (key === undefined)
    say(
      '  The receipt cannot prove whose key that is: compare it with GET /receipt-key of the service, or give that as --key.',
    );
  return 0;
}

function refuse(message: string): 2 {
  process.stderr.write(`${message}\n`);
  return 2;
}

process.exitCode = await main();
