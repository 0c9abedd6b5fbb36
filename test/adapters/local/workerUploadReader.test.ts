import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type UploadReaderOptions, WorkerUploadReader } from '../../../adapters/local/workerUploadReader.ts';
import { decodeProfile, type EncodedProfile } from '../../../packages/tables/profile/profile.ts';
import { bytesOf } from '../../support/bytes.ts';
import { chunksOf } from '../../support/localService.ts';
import { httpText, saying } from '../../support/problems.ts';
import { profileOf } from '../../support/profiles.ts';

const entry = pathToFileURL(join(import.meta.dirname, '..', '..', 'support', 'testReader.ts'));
const reader = (options: UploadReaderOptions = {}) =>
  new WorkerUploadReader({ entry, heapMb: 32, timeLimitMs: 20_000, ...options });

const KEY = 'key-1';

/** As they are reported. */
const warningsOf = ({ report }: EncodedProfile): string[] =>
  z.object({ warnings: z.array(z.string()) }).parse(JSON.parse(new TextDecoder().decode(report))).warnings;

describe('WorkerUploadReader', () => {
  it('hands every byte to a worker and its profile back', async () => {
    const profile = await reader().profile(chunksOf('one', '', 'two'), 'count', KEY);
    expect(decodeProfile(profile.profile)).toEqual({ ...profileOf(), warnings: ['6', expect.any(String)] });
    expect(warningsOf(profile)[0]).toBe('6');
  });

  it('reads no faster than the worker asks', async () => {
    let given = 0;
    async function* many() {
      for (given = 0; given < 1000; given++) yield new Uint8Array(1000);
    }
    await expect(reader({ timeLimitMs: 500 }).profile(many(), 'hang', KEY)).rejects.toThrow();
    expect(given).toBe(0);
  });

  it('gives away only buffers of its own: views and pooled buffers arrive whole', async () => {
    const pooled = Buffer.from('pooled text');
    async function* views() {
      yield pooled;
      yield new Uint8Array(100).subarray(10, 20);
    }
    const profile = await reader().profile(views(), 'count', KEY);
    expect(warningsOf(profile)[0]).toBe('21');
    expect(pooled.toString()).toBe('pooled text');
  });

  it('reads small files with one worker, one after the other, and does not keep it after a large one', async () => {
    const one = reader();
    const threadOf = async (...texts: string[]) => warningsOf(await one.profile(chunksOf(...texts), 'count', KEY))[1];
    const first = await threadOf('one');
    expect(await threadOf('two')).toBe(first);
    expect(await threadOf(...Array(5).fill('x'.repeat(1_000_000)))).toBe(first);
    expect(await threadOf('three')).not.toBe(first);
    await one.close();
  });

  it('passes a refusal on as it is', async () => {
    await expect(reader().profile(chunksOf('x'), 'refuse', KEY)).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'parse_error',
      params: { reason: 'quote_not_closed', line: 3 },
    });
  });

  it('tells a fault of the service from a fault of the file', async () => {
    await expect(reader().profile(chunksOf('x'), 'fault', KEY)).rejects.toMatchObject({ name: 'Error' });
  });

  it('refuses a file that needs too much memory, and stays up', async () => {
    const one = reader();
    await expect(one.profile(chunksOf('x'), 'memory', KEY)).rejects.toMatchObject({
      code: 'parse_error',
      params: saying('32 MB of memory'),
    });
    expect(warningsOf(await one.profile(chunksOf('xy'), 'count', KEY))[0]).toBe('2');
  });

  it('refuses a file that takes too long, and ends its worker', async () => {
    const start = performance.now();
    await expect(reader({ timeLimitMs: 300 }).profile(chunksOf('x'), 'hang', KEY)).rejects.toMatchObject({
      code: 'parse_error',
      params: saying('0.3 seconds'),
    });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('gives a spreadsheet less time than a text, by its kind and size', async () => {
    const sheetLimits = { zip: { startMs: 300, msPerMb: 0 }, records: { startMs: 100, msPerMb: 300 * 2 ** 20 } };
    const refusal = (timeLimitMs: number, ...bytes: number[]) =>
      reader({ timeLimitMs, sheetLimits })
        .profile(bytesOf(Uint8Array.from(bytes), 3), 'hangAtEnd', KEY)
        .catch(httpText);
    // The limit of texts is far off, or a machine at other work meets it first.
    expect(await refusal(60_000, 0x50, 0x4b, 3, 4)).toContain('within 0.3 seconds');
    expect(await refusal(60_000, 0xd0, 0xcf, 0x11, 0xe0)).toContain('within 1.3 seconds');
    expect(await refusal(1500, 0x61, 0x2c, 0x62, 0x0a)).toContain('within 1.5 seconds');
  });

  it('says so where a worker ends without an answer', async () => {
    await expect(reader().profile(chunksOf('x'), 'exit', KEY)).rejects.toThrow('without an answer');
  });

  it('passes on the error of the bytes, and closes their source', async () => {
    let closed = false;
    async function* broken() {
      try {
        yield new Uint8Array(1);
        throw new Error('the disk is gone');
      } finally {
        closed = true;
      }
    }
    await expect(reader().profile(broken(), 'count', KEY)).rejects.toThrow('the disk is gone');
    expect(closed).toBe(true);
  });

  it('reads a bounded number at once, one fewer of one key, and the others in their turn', async () => {
    let [now, most] = [0, 0];
    /** Each upload stays open until as many as asked have been open at once, and then long enough for one too many to show. */
    async function* counted(atOnce: number) {
      now += 1;
      most = Math.max(most, now);
      yield new Uint8Array(1);
      await vi.waitUntil(() => most >= atOnce, { timeout: 15_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, 50));
      now -= 1;
    }
    const one = reader({ atOnce: 2 });
    const readFor = (keys: string[], atOnce: number) =>
      Promise.all(keys.map((key) => one.profile(counted(atOnce), 'count', key)));
    expect(await readFor(['a', 'a', 'b', 'b', 'c', 'c'], 2)).toHaveLength(6);
    expect(most).toBe(2);
    most = 0;
    expect(await readFor(['a', 'a'], 1)).toHaveLength(2);
    expect(most).toBe(1);
  });
});
