/** What S3 alone can show: parts, pages, links. */
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClients } from '../../adapters/aws/awsClients.ts';
import { S3ObjectStore } from '../../adapters/aws/s3ObjectStore.ts';
import { readObject } from '../../service/job/objectKeys.ts';
import { clients, makeBucket, type TestBucket } from './support/storage.ts';

const PART_BYTES = 8_388_608;
const BLOCK = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 31) % 256);

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await makeBucket();
});
afterAll(() => bucket.remove());

async function* blocks(count: number, end?: Error): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield BLOCK;
  if (end) throw end;
}

const uploadsOpen = async () =>
  (await clients.files.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }))).Uploads ?? [];

describe('S3ObjectStore', () => {
  it('takes an upload of the greatest size in parts, and gives back every byte', async () => {
    const store = bucket.handle();
    expect(await store.put('jobs/a/upload', blocks(52))).toEqual({ bytes: 52 * BLOCK.length });
    const whole = await readObject(store, 'jobs/a/upload');
    for (let i = 0; i < 52; i++) {
      expect(Buffer.compare(whole!.subarray(i * BLOCK.length, (i + 1) * BLOCK.length), BLOCK)).toBe(0);
    }
    expect(await uploadsOpen()).toEqual([]);
  });

  it('keeps nothing of a large body that breaks off after some parts, not even the parts', async () => {
    const store = bucket.handle();
    const broken = new Error('the client went away');
    await expect(store.put('jobs/b/upload', blocks(25, broken))).rejects.toBe(broken);
    expect(await store.get('jobs/b/upload')).toBeUndefined();
    expect(await uploadsOpen()).toEqual([]);
  });

  it('takes no more from a body than it can send', async () => {
    const { files } = createClients();
    let [given, sent] = [0, 0];
    files.middlewareStack.add(
      (next, context) => async (args) => {
        const reply = await next(args);
        if (context.commandName === 'UploadPartCommand') sent += PART_BYTES;
        return reply;
      },
      { step: 'initialize' },
    );
    async function* counted() {
      for await (const block of blocks(60)) {
        given += block.length;
        yield block;
        // Two parts on their way, the one that is being filled, and what streams keep.
        expect(given - sent).toBeLessThan(5 * PART_BYTES);
      }
    }
    await new S3ObjectStore(files, bucket.name).put('jobs/c/upload', counted());
    expect(sent).toBeGreaterThan(50_000_000);
    files.destroy();
  });

  it('says that an object was replaced between its finding and its reading, instead of mixing the two', async () => {
    const store = bucket.handle();
    await store.put('jobs/d/upload', new Uint8Array([1, 2, 3]));
    const found = await store.get('jobs/d/upload');
    await store.put('jobs/d/upload', new Uint8Array([4, 5, 6, 7]));
    const read = async () => {
      for await (const _ of found!.body);
    };
    await expect(read()).rejects.toThrow();
  });

  it('lists and erases more keys than a page has', async () => {
    const store = bucket.handle();
    const keys = Array.from({ length: 1203 }, (_, i) => `jobs/e/attempt-1/part-${String(i).padStart(5, '0')}`);
    for (let i = 0; i < keys.length; i += 20) {
      await Promise.all(keys.slice(i, i + 20).map((key) => store.put(key, new Uint8Array([1]))));
    }
    await store.put('jobs/ef/upload', new Uint8Array([1]));
    expect(await store.list('jobs/e/')).toEqual(keys);
    await store.erase('jobs/e/');
    expect(await store.list('jobs/e/')).toEqual([]);
    expect(await store.list('jobs/ef/')).toEqual(['jobs/ef/upload']);
  });

  it('gives out a link that anyone can read for a while, as the file it is', async () => {
    const store = bucket.handle();
    await store.put('jobs/f/attempt-1/synthetic_data.csv', new TextEncoder().encode('x\n1\n'));
    const link = await store.link('jobs/f/attempt-1/synthetic_data.csv', {
      fileName: 'synthetic_data.csv',
      contentType: 'text/csv; charset=utf-8',
    });
    const reply = await fetch(link, { headers: { 'X-API-Key': 'sent along by a client that follows' } });
    expect([reply.status, await reply.text()]).toEqual([200, 'x\n1\n']);
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="synthetic_data.csv"');
    expect((await fetch(link.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=z'))).status).toBe(403);
  });
});
