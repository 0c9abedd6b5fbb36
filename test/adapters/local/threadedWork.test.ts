import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileObjectStore } from '../../../adapters/local/fileObjectStore.ts';
import { ThreadedWork } from '../../../adapters/local/threadedWork.ts';
import { generateRequestSchema } from '../../../packages/contract/requests.ts';
import { encodeProfile } from '../../../packages/tables/profile/profile.ts';
import { type Conversion, inlineWork } from '../../../service/heavyWork.ts';
import { readObject } from '../../../service/job/objectKeys.ts';
import { numeric, profileOf } from '../../support/profiles.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';

const folder = makeFolder();
const objects = new FileObjectStore(folder.path);
const machine = { cores: 3, speed: 1.5 };
const work = new ThreadedWork({ objects, machine });
const inline = inlineWork(objects, machine);
const as = { keyId: 'one' };

/** A result of so many rows. */
const table = (rows: number) => `x,t\n${Array.from({ length: rows }, (_, i) => `${i / 2},row ${i}\n`).join('')}`;

const conversion = (name: string, format: Conversion['format']): Conversion => ({
  source: `${name}.csv`,
  target: `${name}.${format}`,
  format,
  numeric: ['x'],
});

beforeAll(async () => {
  await objects.put('small.csv', Buffer.from(table(50)));
  await objects.put('large.csv', Buffer.from(table(200_000)));
});
afterAll(async () => {
  await work.close();
  folder.remove();
});

const profile = () => encodeProfile(profileOf()).profile;
const request = generateRequestSchema.parse({
  job_id: 'a',
  target_col: 'x',
  continuous_cols: ['y'],
  family: 'gaussian',
});

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** How far each thread of this process stands back for others, on Linux. */
const nicenesses = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1').split(') ')[1]?.split(' ');
    return Number(fields?.[16]);
  });

describe('ThreadedWork', () => {
  it.runIf(process.platform === 'linux')('works behind the thread that answers requests', async () => {
    const own = getPriority();
    await work.detectFamily(profile(), 'x', as);
    expect(getPriority()).toBe(own);
    expect(Math.max(...nicenesses())).toBeGreaterThan(own);
  });

  it('answers as the same work does in the process itself', async () => {
    expect(await work.detectFamily(profile(), 'x', as)).toEqual(await inline.detectFamily(profile(), 'x', as));
    expect(await work.estimate(profile(), request, null, as)).toEqual(
      await inline.estimate(profile(), request, null, as),
    );
    expect((await work.checkRequest(profile(), request, as)).keys).toEqual([]);
  });

  it('says which columns of a request are keys, of small and of large profiles', async () => {
    for (const width of [2, 400]) {
      const columns = Array.from({ length: width }, (_, i) => numeric(`n${i}`));
      const keyed = profileOf([numeric('x'), numeric('y', 10, { kind: 'identifier' }), ...columns]);
      const found = await work.checkRequest(encodeProfile(keyed).profile, request, as);
      expect(found).toEqual({
        keys: ['y'],
        estimate: { memoryMb: expect.any(Number), seconds: expect.any(Number) },
        target_col: 'x',
        row_digest: null,
      });
    }
  });

  it('passes a refusal on as it is, with its field', async () => {
    const wrong = { ...request, continuous_cols: ['z'] };
    const refusal = await inline.checkRequest(profile(), wrong, as).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'column_not_found', field: 'continuous_cols' });
    await expect(work.checkRequest(profile(), wrong, as)).rejects.toEqual(refusal);
    await expect(work.estimate(profile(), wrong, null, as)).rejects.toEqual(refusal);
  });

  it('answers others meanwhile', async () => {
    const wide = encodeProfile(profileOf(Array.from({ length: 3000 }, (_, i) => numeric(`n${i}`)))).profile;
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await work.detectFamily(wide, 'n0', as);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });

  it.each(['xlsx', 'parquet', 'jsonl'] as const)(
    'keeps a result as %s, the bytes of the same conversion here',
    async (format) => {
      const made = await work.convert(conversion('small', format), as);
      const expected = await inline.convert(conversion('small', format), as);
      const bytes = await bytesOf(expected!.body);
      expect(made?.bytes).toBe(bytes.byteLength);
      expect((await bytesOf(made!.body)).equals(bytes)).toBe(true);
      expect(await readObject(objects, `small.${format}`)).toHaveLength(bytes.byteLength);
    },
  );

  it('has nothing to convert where the result was erased', async () => {
    expect(await work.convert(conversion('absent', 'xlsx'), as)).toBeUndefined();
  });

  it('stops where the client goes, keeps nothing, and serves the next', async () => {
    const gone = new AbortController();
    const cut = work.convert(conversion('large', 'xlsx'), { ...as, signal: gone.signal });
    const waiting = work.convert(conversion('small', 'jsonl'), { ...as, signal: gone.signal });
    setTimeout(() => gone.abort(new Error('gone')), 50);
    await expect(cut).rejects.toThrow('gone');
    await waiting.catch(() => undefined);
    expect(await objects.get('large.xlsx')).toBeUndefined();
    expect((await objects.list('')).sort()).not.toContain('large.xlsx');
    expect((await work.checkRequest(profile(), request, as)).keys).toEqual([]);
  });

  it('converts once for all who ask at once, for as long as one of them is there', async () => {
    const gone = new AbortController();
    const first = work.convert(conversion('large', 'jsonl'), { ...as, signal: gone.signal });
    const second = work.convert(conversion('large', 'jsonl'), { keyId: 'two' });
    setTimeout(() => gone.abort(new Error('gone')), 20);
    await first.catch(() => undefined);
    expect((await second)?.bytes).toBeGreaterThan(1_000_000);
  });
});
