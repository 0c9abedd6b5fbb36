import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTextBaseObjects } from '../../adapters/aws/s3ObjectStore.ts';
import { readTextBaseFiles } from '../../adapters/local/fileObjectStore.ts';
import { textOpener } from '../../gpu-job/openText.ts';
import { isBaseFile } from '../../packages/synthesis/models/text/base/readTextBase.ts';
import type { ObjectStore } from '../../service/ports.ts';

describe('the files of a base', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'text-base-'));
    for (const name of ['a.gguf', 'readme.md', 'config.json']) await writeFile(join(folder, name), name);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are those of a folder that are known, or one file', async () => {
    expect([...(await readTextBaseFiles(folder, isBaseFile))!.keys()]).toEqual(['a.gguf', 'config.json']);
    expect([...(await readTextBaseFiles(join(folder, 'a.gguf'), isBaseFile))!.keys()]).toEqual(['a.gguf']);
    expect(await readTextBaseFiles(join(folder, 'absent'), isBaseFile)).toBeUndefined();
  });

  it('are those under a prefix of a bucket', async () => {
    const keys = ['models/a.gguf', 'models/readme.md'];
    const bytes = Uint8Array.of(1, 2);
    const bodyOf = async function* () {
      yield bytes;
    };
    const store: ObjectStore = {
      put: () => Promise.reject(new Error('nothing is written')),
      erase: () => Promise.reject(new Error('nothing is erased')),
      list: async (prefix) => keys.filter((key) => key.startsWith(prefix)),
      times: async () => new Map(),
      get: async () => ({ bytes: 2, body: bodyOf() }),
    };
    const buckets: string[] = [];
    const open = (bucket: string): ObjectStore => {
      buckets.push(bucket);
      return store;
    };
    expect(await readTextBaseObjects('s3://bucket/models', isBaseFile, open)).toEqual(new Map([['a.gguf', bytes]]));
    expect(await readTextBaseObjects('s3://bucket/other', isBaseFile, open)).toBeUndefined();
    expect(buckets).toEqual(['bucket', 'bucket']);
    await expect(readTextBaseObjects('https://bucket', isBaseFile, open)).rejects.toThrow('no address in S3');
  });

  it('that are damaged are told in a problem, and those that are not there in none', async () => {
    const checkpoints = { load: async () => undefined, save: async () => {} };
    const settings = {
      backend: 'cpu',
      hasGpu: async () => false,
      readFiles: readTextBaseFiles,
      checkpoints,
      hasCompact: false,
    } as const;
    const damaged = await textOpener({ ...settings, basePath: join(folder, 'a.gguf') })();
    expect(damaged.base).toBeNull();
    expect(damaged.baseProblem).toBe('a.gguf: the file does not begin with "GGUF"');
    for (const basePath of [null, join(folder, 'absent')]) {
      expect(await textOpener({ ...settings, basePath })()).toMatchObject({ base: null, baseProblem: null });
    }
  });
});
