import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigner, keyOfSeed } from '../../adapters/shared/keys.ts';
import { describeKey, signReceipt } from '../../service/receipt.ts';
import { root } from '../support/imports.ts';
import { manifestOf } from '../support/manifests.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const signer = createSigner(async () => keyOfSeed(new Uint8Array(32).fill(3)));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
};

function verify(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'cli/verify.ts'), ...args], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr });
    });
  });
}

describe('npm run verify', () => {
  it('ends with 0 for what was made, 1 for what was changed, 2 for what is not there, and says why', async () => {
    const receipt = await signReceipt(manifestOf(), signer);
    const { key_id } = await describeKey(await signer.publicKey());
    const [good, table] = [file('receipt.json', JSON.stringify(receipt)), file('table.csv', 'abc')];
    const changed = structuredClone(receipt);
    Object.assign(changed.manifest, { job_id: 'b' });
    const [ok, keyed, tampered, otherFile, otherKey, absent, none] = await Promise.all([
      verify(good, table),
      verify(good, table, '--key', key_id),
      verify(file('changed.json', JSON.stringify(changed)), table),
      verify(good, file('other.csv', 'abd')),
      verify(good, table, '--key', 'f'.repeat(16)),
      verify(good, join(folder.path, 'absent.csv')),
      verify(good),
    ]);
    expect([ok, keyed, tampered, otherFile, otherKey, absent, none].map(({ code }) => code)).toEqual([
      0, 0, 1, 1, 1, 2, 2,
    ]);
    expect(ok.text).toMatch(/^VERIFIED: .*\n {2}1 row of 1 column/);
    expect(ok.text).toContain('compare it with GET /receipt-key');
    expect(keyed.text).not.toContain('compare it');
    expect(tampered.text).toMatch(/^NOT VERIFIED: .*\n {2}The signature is not valid/);
    expect(otherFile.text).toContain('not the one in the receipt');
    expect(otherKey.text).toContain('another service made it');
    expect(absent.text).toContain('absent.csv');
    expect(none.text).toContain('Usage:');
  });
});
