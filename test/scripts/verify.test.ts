import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigner, keyOfSeed } from '../../adapters/shared/keys.ts';
import { describeKey, signReceipt } from '../../service/receipt.ts';
import { root } from '../support/imports.ts';
import { manifestOf, SALT } from '../support/manifests.ts';
import { runHere } from '../support/runHere.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const signer = createSigner(async () => keyOfSeed(new Uint8Array(32).fill(3)));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
};

const PROGRAM = join(root, 'cli', 'verify.ts');

async function verify(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, out, err } = await runHere(PROGRAM, args, { cwd: folder.path });
  return { code, text: out + err };
}

describe('npm run verify', () => {
  it('ends with 0 for what was made, 1 for what was changed, 2 for what is not there, and says why', async () => {
    const receipt = await signReceipt(manifestOf(), signer);
    const key = describeKey(await signer.publicKey());
    const [good, table, input] = [
      file('receipt.json', JSON.stringify(receipt)),
      file('table.csv', 'abc'),
      file('input.csv', 'table'),
    ];
    const told = file('key.json', JSON.stringify({ success: true, data: key, error: null }));
    const changed = structuredClone(receipt);
    Object.assign(changed.manifest, { job_id: 'b' });
    const cases: [code: number, said: string | RegExp, args: string[]][] = [
      [0, /^VERIFIED: .*\n {2}1 row of 1 column/, [good, table, '--key', key.key_id]],
      [0, `signed with the key ${key.public_key}`, [good, table, '--key', told, '--input', input, '--salt', SALT]],
      [1, 'The input or the salt', [good, table, '--key', told, '--input', table, '--salt', SALT]],
      [
        1,
        /^NOT VERIFIED: .*\n {2}The signature is not valid/,
        [file('b.json', JSON.stringify(changed)), table, '--key', told],
      ],
      [1, 'not the one in the receipt', [good, file('other.csv', 'abd'), '--key', told]],
      [1, 'another service made it', [good, table, '--key', 'f'.repeat(32)]],
      [2, 'absent.csv', [good, join(folder.path, 'absent.csv'), '--key', told]],
      [2, 'Anybody can sign', [good, table]],
      [2, 'neither a key nor a file', [good, table, '--key', table]],
      [2, 'Usage:', [good]],
    ];
    for (const [expected, said, args] of cases) {
      const { code, text } = await verify(...args);
      expect(code, text).toBe(expected);
      if (typeof said === 'string') expect(text).toContain(said);
      else expect(text).toMatch(said);
    }
  });

  it('ends so as a process too', () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Usage:')]);
  });
});
