import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSigner, fileVault, SECRETS_KEY_FILE, SIGNING_KEY_FILE } from '../../../adapters/local/keyFiles.ts';
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

describe('fileVault', () => {
  const plain = Buffer.from('a secret');

  it('opens what it sealed, for the same purpose and with the same file alone, which nobody else can read', async () => {
    const folder = temporaryFolder();
    const vaults = Array.from({ length: 4 }, () => fileVault(folder));
    const sealed = await Promise.all(vaults.map((vault) => vault.seal(plain, 'one')));
    expect(statSync(join(folder, SECRETS_KEY_FILE)).mode & 0o777).toBe(0o600);
    for (const each of sealed) {
      expect(Buffer.from(each).includes(plain)).toBe(false);
      expect(Buffer.from(await fileVault(folder).open(each, 'one')).toString()).toBe('a secret');
    }
    expect(new Set(sealed.map((each) => Buffer.from(each).toString('hex'))).size).toBe(4);
    const wrong = { code: 'storage_unavailable', params: { reason: 'secrets_key_invalid', file: SECRETS_KEY_FILE } };
    await expect(fileVault(folder).open(sealed[0]!, 'other')).rejects.toMatchObject(wrong);
    await expect(fileVault(temporaryFolder()).open(sealed[0]!, 'one')).rejects.toMatchObject(wrong);
    await expect(fileVault(folder).open(sealed[0]!.subarray(0, 20), 'one')).rejects.toMatchObject(wrong);
  });

  it('refuses a file that is no key', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, SECRETS_KEY_FILE), 'short');
    await expect(fileVault(folder).seal(plain, 'one')).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
