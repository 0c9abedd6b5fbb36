import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSigner, SIGNING_KEY_FILE } from '../../../adapters/local/openStores.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

describe('the signing key in the data folder', () => {
  it('is made once, for its owner alone to read, and found again', async () => {
    const folder = temporaryFolder();
    const first = await fileSigner(folder).publicKey();
    expect(statSync(join(folder, SIGNING_KEY_FILE)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    expect(await fileSigner(folder).publicKey()).toEqual(first);
    expect(await fileSigner(temporaryFolder()).publicKey()).not.toEqual(first);
  });

  it('is one key for all who start at once', async () => {
    const folder = temporaryFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => fileSigner(folder).publicKey()));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
  });

  it('is not replaced where the file holds something else, which the message says', async () => {
    const folder = temporaryFolder();
    const path = join(folder, SIGNING_KEY_FILE);
    writeFileSync(path, 'no key');
    await expect(fileSigner(folder).publicKey()).rejects.toMatchObject({
      params: { reason: 'signing_key_invalid', file: expect.stringContaining('signing-key.pem') },
    });
    expect(readFileSync(path, 'utf8')).toBe('no key');
  });
});
