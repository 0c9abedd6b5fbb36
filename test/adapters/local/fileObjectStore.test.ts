import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileObjectStore, temporaryName } from '../../../adapters/local/fileObjectStore.ts';
import { thisProcess } from '../../../adapters/local/leases.ts';
import { readObject } from '../../../service/job/objectKeys.ts';
import { until } from '../../ports/made.ts';
import { makeSmallDisk } from '../../support/smallDisk.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { makeUnwritable } from '../../support/unwritable.ts';

const KEY = 'jobs/a/upload';

describe('FileObjectStore', () => {
  it.each(['../a', 'jobs/../../a', '/etc/passwd', 'jobs//a', 'jobs/.', '.hidden', 'a\u0000b', 'a\\b', '', 'é'])(
    'takes no key like %j',
    async (key) => {
      const store = new FileObjectStore(temporaryFolder());
      await expect(store.put(key, new Uint8Array(1))).rejects.toThrow(RangeError);
      await expect(store.get(key)).rejects.toThrow(RangeError);
      await expect(store.erase(`${key}/`)).rejects.toThrow(RangeError);
    },
  );

  it('leaves no temporary file behind, whatever became of the body', async () => {
    const folder = temporaryFolder();
    const store = new FileObjectStore(folder);
    async function* breaking() {
      yield new Uint8Array(10);
      throw new Error('broken off');
    }
    await store.put(KEY, new Uint8Array(10));
    await expect(store.put(KEY, breaking())).rejects.toThrow('broken off');
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('does not mix two objects where one is replaced between being found and being read', async () => {
    const store = new FileObjectStore(temporaryFolder());
    await store.put(KEY, new Uint8Array(10).fill(1));
    const body = (await store.get(KEY))?.body[Symbol.asyncIterator]();
    await store.put(KEY, new Uint8Array(10).fill(2));
    await expect(body?.next()).rejects.toThrow('replaced');
  });

  it('goes on reading an object that is erased meanwhile', async () => {
    const store = new FileObjectStore(temporaryFolder());
    await store.put(KEY, new Uint8Array(1_000_000).fill(1));
    let bytes = 0;
    for await (const chunk of (await store.get(KEY))?.body ?? []) {
      if (bytes === 0) await store.erase('jobs/a/');
      bytes += chunk.length;
    }
    expect(bytes).toBe(1_000_000);
  });

  it('removes what a killed process was writing, and not what a living one writes', async () => {
    const folder = temporaryFolder();
    const store = new FileObjectStore(folder);
    const module = join(import.meta.dirname, '..', '..', '..', 'adapters', 'local', 'fileObjectStore.ts');
    const script = `import { FileObjectStore } from ${JSON.stringify(module)};
      async function* endless() { for (;;) { yield new Uint8Array(1000); await new Promise((r) => setTimeout(r, 10)); } }
      await new FileObjectStore(${JSON.stringify(folder)}).put('jobs/b/upload', endless());`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const left = () => readdirSync(folder).includes('tmp') && readdirSync(join(folder, 'tmp'));
    await until('the other process to write', async () => (left() || []).length === 1);
    expect(await store.removeLeftovers()).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await store.removeLeftovers()).toBe(1);
    expect(left()).toEqual([]);
    expect(await store.list('')).toEqual([]);
  });

  it('removes what this very process id was writing before a restart, and nothing of another host', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'tmp'));
    const earlier = temporaryName({ ...thisProcess, instance: '0123456789abcdef' });
    const names = [earlier, temporaryName(), temporaryName({ ...thisProcess, host: 'other', instance: '01' }), 'stray'];
    for (const name of names) writeFileSync(join(folder, 'tmp', name), '');
    expect(await new FileObjectStore(folder).removeLeftovers()).toBe(1);
    expect(readdirSync(join(folder, 'tmp')).sort()).toEqual(names.slice(1).sort());
  });

  it('says that the disk is full, keeps nothing of the object, and takes it when there is room', async () => {
    const disk = makeSmallDisk(1);
    try {
      const store = new FileObjectStore(disk.path);
      await store.put('jobs/a/profile.json', new Uint8Array(10));
      async function* tooMuch() {
        if (!disk.mounted) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        for (let i = 0; i < 20; i++) yield new Uint8Array(100_000);
      }
      await expect(store.put(KEY, tooMuch())).rejects.toMatchObject({ code: 'storage_full' });
      expect(await store.list('')).toEqual(['jobs/a/profile.json']);
      expect(readdirSync(join(disk.path, 'tmp'))).toEqual([]);
      await store.put(KEY, new Uint8Array(500_000));
      expect((await readObject(store, KEY))?.length).toBe(500_000);
    } finally {
      disk.remove();
    }
  });

  it('says that the folder cannot be written, and still reads what is there', async () => {
    const folder = temporaryFolder();
    const store = new FileObjectStore(folder);
    await store.put(KEY, new Uint8Array(10));
    const giveBack = makeUnwritable(join(folder, 'tmp'));
    try {
      await expect(store.put('jobs/b/upload', new Uint8Array(10))).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.not.stringContaining(folder),
      });
      expect((await readObject(store, KEY))?.length).toBe(10);
    } finally {
      giveBack();
    }
    expect(await store.put('jobs/b/upload', new Uint8Array(10))).toEqual({ bytes: 10 });
  });
});
