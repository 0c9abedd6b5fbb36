/** Rules that need no process: how an end is told, how a fault of storage is told, what the driver says of a GPU. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { compileCacheEnvironment } from '../../../adapters/local/cacheFolder.ts';
import { createStartedGpu, localGpu } from '../../../adapters/local/localGpu.ts';
import { storageError } from '../../../adapters/local/storageErrors.ts';
import { lineLog, passOn, TextTail } from '../../../adapters/shared/childLog.ts';
import { openEngine } from '../../../packages/numerics/tensor/engines/openEngine.ts';
import { EXIT, endingFailure } from '../../../service/job/failures.ts';
import { recordingLog } from '../../support/localQueue.ts';
import { saying } from '../../support/problems.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const END = { exitCode: null, signal: null, errorTail: '' };

describe('endingFailure', () => {
  it.each([
    ['timeout', { ...END, signal: 'SIGKILL', killedFor: 'timeout' }],
    ['interrupted', { ...END, signal: 'SIGTERM', killedFor: 'shutdown' }],
    ['out_of_memory', { ...END, signal: 'SIGABRT', errorTail: 'FATAL ERROR: … JavaScript heap out of memory' }],
    ['crashed', { ...END, signal: 'SIGKILL' }],
    ['crashed', { ...END, signal: 'SIGSEGV' }],
    ['crashed', { ...END, exitCode: 1 }],
    ['crashed', { ...END, exitCode: EXIT.done }],
    ['storage_full', { ...END, exitCode: EXIT.storageFull }],
    ['storage_unavailable', { ...END, exitCode: EXIT.storageUnavailable }],
    ['internal_error', { ...END, exitCode: EXIT.unrecorded }],
  ] as const)('says %s of %j', (code, ending) => {
    expect(endingFailure(ending, 7200)).toMatchObject({
      code,
      params: saying(/(Ask|Send|Tell) /),
    });
  });
});

describe('storageError', () => {
  const systemError = (code: string) => Object.assign(new Error(`${code}: /var/lib/secret/path`), { code });
  const sqliteError = (errcode: number) => Object.assign(new Error('database'), { code: 'ERR_SQLITE_ERROR', errcode });

  it.each([
    [systemError('ENOSPC'), 'storage_full'],
    [systemError('EDQUOT'), 'storage_full'],
    [sqliteError(13), 'storage_full'],
    [systemError('EACCES'), 'storage_unavailable'],
    [systemError('EROFS'), 'storage_unavailable'],
    [sqliteError(8), 'storage_unavailable'],
    [sqliteError(1032), 'storage_unavailable'],
    [sqliteError(14), 'storage_unavailable'],
  ])('tells %s as %s, without a path', (error, code) => {
    expect(storageError(error)).toMatchObject({ name: 'ServiceError', code, cause: error });
    expect(storageError(error)).toMatchObject({ params: expect.not.objectContaining({ path: expect.anything() }) });
  });

  it('leaves other errors as they are', () => {
    for (const error of [new TypeError('x'), systemError('ECONNRESET'), sqliteError(19), 'text', undefined]) {
      expect(storageError(error)).toBe(error);
    }
  });
});

function driverOf(...cards: [bus: string, model: string][]): string {
  const folder = temporaryFolder();
  for (const [bus, model] of cards) {
    mkdirSync(join(folder, bus));
    writeFileSync(join(folder, bus, 'information'), `Model: \t\t ${model}\nIRQ:   \t\t 10\n`);
  }
  return folder;
}

describe('localGpu', () => {
  it('names the first GPU that the driver lists', async () => {
    const folder = driverOf(['0000:00:1f.0', 'NVIDIA L4'], ['0000:00:1e.0', 'NVIDIA A10G']);
    expect(await localGpu(folder)).toEqual({ available: true, name: 'NVIDIA A10G' });
  });

  it('is there for jobs where the engine starts on it, which is tried once', async () => {
    const folder = driverOf(['0000:00:1e.0', 'NVIDIA A10G']);
    let tries = 0;
    const starts = async () => {
      tries++;
      return true;
    };
    const startsNot = async () => !(await starts());
    const [well, badly] = [createStartedGpu(folder, starts), createStartedGpu(folder, startsNot)];
    expect([await well(), await well()].map(({ name }) => name)).toEqual(['NVIDIA A10G', 'NVIDIA A10G']);
    expect([await badly(), await badly()]).toEqual([1, 2].map(() => ({ available: false, name: null })));
    expect(tries).toBe(2);
    expect(await createStartedGpu('/absent', starts)()).toEqual({ available: false, name: null });
    expect(tries).toBe(2);
  });

  it('is looked for once in a while, and not by every request', async () => {
    const folder = driverOf(['0000:00:1e.0', 'NVIDIA A10G']);
    const [seldom, always] = [undefined, 0].map((ms) => createStartedGpu(folder, async () => true, ms));
    expect([(await seldom?.())?.available, (await always?.())?.available]).toEqual([true, true]);
    rmSync(folder, { recursive: true });
    expect([(await seldom?.())?.available, (await always?.())?.available]).toEqual([true, false]);
  });

  it('tries CUDA in a process of its own, with the answer that it has here', async () => {
    const starts = await openEngine('cuda').then(
      () => true,
      () => false,
    );
    expect((await createStartedGpu(driverOf(['0000:00:1e.0', 'NVIDIA A10G']))()).available).toBe(starts);
  });

  it('knows none where there is no driver, or no card', async () => {
    expect(await localGpu('/absent')).toEqual({ available: false, name: null });
    expect(await localGpu(temporaryFolder())).toEqual({ available: false, name: null });
  });
});

describe('the log of a process', () => {
  it('is passed on line by line; other output is not', async () => {
    const lines: string[] = ['a cell: 1,2,3\n', '{"level":"info"}\n', '{broken\n'];
    const child = lineLog((text) => void lines.push(text));
    child.info('one', { rows: 3, name: 'x\ny', none: null });
    child.error('two');
    const { log, entries } = recordingLog();
    const output = Readable.from([Buffer.from(lines.join(''))]);
    passOn(output, log);
    await new Promise((resolve) => output.on('close', resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(entries).toEqual([
      { level: 'info', event: 'one', fields: { rows: 3, name: 'x\ny', none: null } },
      { level: 'error', event: 'two', fields: {} },
    ]);
  });
});

describe('compileCacheEnvironment', () => {
  it('names a folder that is there, or none', () => {
    const folder = join(temporaryFolder(), 'a', 'b');
    expect(compileCacheEnvironment(folder)).toEqual({ NODE_COMPILE_CACHE: folder });
    expect(readdirSync(folder)).toEqual([]);
    expect(compileCacheEnvironment('/dev/null/cache')).toEqual({});
  });
});

describe('TextTail', () => {
  it('keeps the last characters of a stream, and few of them', async () => {
    const stream = Readable.from([Buffer.from('x'.repeat(100_000)), Buffer.from('the end')]);
    const tail = new TextTail(stream);
    await new Promise((resolve) => stream.on('close', resolve));
    expect(tail.text()).toMatch(/x the end$|xthe end$/);
    expect(tail.text().length).toBeLessThan(10_000);
  });
});
