import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner, keyOfSeed } from '../../../adapters/shared/keys.ts';
import { type Evidence, type FoundInput, verifyReceipt } from '../../../cli/verifyReceipt.ts';
import { sha256Of } from '../../../service/hashing.ts';
import type { Job } from '../../../service/job/job.ts';
import { canonicalJson, describeKey, fromBase64, receiptOf, signReceipt, toBase64 } from '../../../service/receipt.ts';
import { METRICS, newJob } from '../../support/jobFixtures.ts';
import { FILE, INPUT, manifestOf } from '../../support/manifests.ts';

/** RFC 8032, section 7.1, test 2. */
const RFC = {
  seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  message: '72',
  signature:
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
};
const hexOf = (all: Uint8Array) => Buffer.from(all).toString('hex');
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const signer = createSigner(async () => keyOfSeed(bytes(RFC.seed)));

const signed = async (change: (manifest: ReturnType<typeof manifestOf>) => void = () => undefined) => {
  const receipt = await signReceipt(manifestOf(), signer);
  change(receipt.manifest as ReturnType<typeof manifestOf>);
  return receipt;
};

describe('the signature', () => {
  it('is that of RFC 8032', async () => {
    const { signature, publicKey } = await signer.sign(bytes(RFC.message));
    expect([hexOf(signature), hexOf(publicKey)]).toEqual([RFC.signature, RFC.publicKey]);
  });

  it('needs a seed of 32 bytes', () => {
    expect(() => keyOfSeed(new Uint8Array(31))).toThrow(RangeError);
  });

  it('reads its key again where that failed', async () => {
    let tries = 0;
    const late = createSigner(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return keyOfSeed(bytes(RFC.seed));
    });
    await expect(late.publicKey()).rejects.toThrow('not yet');
    expect(hexOf(await late.publicKey())).toBe(RFC.publicKey);
  });
});

describe('canonicalJson', () => {
  it('puts keys in the order of their UTF-16 units, as RFC 8785 has it', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, digit]) => digit).join('')).toBe('2467153');
  });

  it('is one text for one value, in whatever order its keys stand, and the value again', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string())),
        (value) => {
          const turned = Object.fromEntries(Object.entries(value).reverse());
          expect(canonicalJson(turned)).toBe(canonicalJson(value));
          expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });
});

describe('base64', () => {
  it('comes back, and is undefined where the text is none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (all) => {
        expect(fromBase64(toBase64(all))).toEqual(all);
      }),
    );
    for (const other of ['…', 'YQ', 'YR==', 'YQ==\n', ' YQ==']) expect(fromBase64(other), other).toBeUndefined();
  });
});

describe('verifyReceipt', () => {
  const keyOf = async () => describeKey(await signer.publicKey());
  const check = async (text: string, more: Partial<Evidence> = {}) =>
    verifyReceipt({ receipt: text, file: FILE, key: (await keyOf()).key_id, ...more });

  it('takes a receipt and its file, in the envelope or without, however its JSON is laid out', async () => {
    const receipt = await signed();
    const { public_key } = await keyOf();
    for (const text of [
      JSON.stringify(receipt),
      JSON.stringify({ success: true, data: receipt, error: null }, null, 3),
    ]) {
      expect(await check(text)).toMatchObject({ faults: [], manifest: { job_id: 'a' } });
      expect(await check(text, { key: public_key })).toMatchObject({ faults: [] });
    }
  });

  it.each<[what: string, change: Parameters<typeof signed>[0]]>([
    ['hash', (manifest) => Object.assign(manifest.output, { sha256: 'f'.repeat(64) })],
    ['seed', (manifest) => Object.assign(manifest.request, { seed: 8 })],
    ['role', (manifest) => Object.assign(manifest.request, { target_col: 'other' })],
    ['metric', (manifest) => Object.assign(manifest.metrics.numeric, { 'KS (Avg)': 0.001 })],
    ['version', (manifest) => Object.assign(manifest.software, { version: '9' })],
  ])('finds a changed %s', async (_what, change) => {
    const { faults } = await check(JSON.stringify(await signed(change)));
    expect(faults).toEqual(['The signature is not valid: the receipt was changed after it was signed.']);
  });

  it('finds another file, and says what differs', async () => {
    const text = JSON.stringify(await signed());
    const [other] = (await check(text, { file: { bytes: 9, sha256: 'a'.repeat(64) } })).faults;
    expect(other).toMatch(/it has 9 bytes, not 3, and its SHA-256 is a+, not ba7816bf/);
    const [changed] = (await check(text, { file: { ...FILE, sha256: 'a'.repeat(64) } })).faults;
    expect(changed).toContain('its size is right');
  });

  it('shows the input to whoever has its salt, and to nobody else', async () => {
    const text = JSON.stringify(await signed());
    expect(text).not.toContain(INPUT.sha256);
    expect((await check(text, { input: INPUT })).faults).toEqual([]);
    const fault = async (input: FoundInput) => (await check(text, { input })).faults.join();
    expect(await fault({ ...INPUT, commitment: null })).toContain('--salt');
    expect(await fault({ ...INPUT, commitment: INPUT.sha256 })).toContain('is not the one in the receipt');
  });

  it('finds a receipt that somebody else signed', async () => {
    const other = createSigner(async () => keyOfSeed(new Uint8Array(32)));
    const text = JSON.stringify(await signReceipt(manifestOf(), other));
    const { key_id, public_key } = await keyOf();
    for (const key of [key_id, public_key]) {
      expect((await check(text, { key })).faults.join()).toContain('another service made it');
    }
    // The right key beside the signature of another.
    const receipt = await signReceipt(manifestOf(), other);
    Object.assign(receipt.signature, await keyOf());
    expect((await check(JSON.stringify(receipt))).faults.join()).toContain('is not valid');
  });

  it('finds a key under the id of another one, and one that is too short', async () => {
    const receipt = await signed();
    for (const key_id of ['0'.repeat(32), receipt.signature.key_id.slice(0, 16)]) {
      const text = JSON.stringify({ ...receipt, signature: { ...receipt.signature, key_id } });
      expect((await check(text)).faults).toEqual(['The key id in the receipt does not match its key.']);
    }
  });

  it.each(['', '{}', 'null', '[]', '{"manifest": 1}', '{"data": null}', '"text"'])(
    'takes %s for no receipt',
    async (text) => {
      expect((await check(text)).faults.join()).toContain('This is not a receipt');
    },
  );

  it('takes what says more than was signed, or says it twice, for no receipt', async () => {
    const receipt = await signed();
    const { manifest, signature } = receipt;
    const text = JSON.stringify(receipt);
    for (const more of [
      JSON.stringify({ ...receipt, rows: 9 }),
      JSON.stringify({ manifest, signature: { ...signature, owner: 'x' } }),
      JSON.stringify({ success: true, data: receipt, error: null, note: '' }),
      text.replace('{"manifest":', '{"__proto__":{},"manifest":'),
      text.replace('"signature":{', '"signature":{"__proto__":1,'),
      text.replace('"job_id":"a"', '"job_id":"b","job_id":"a"'),
      text.replace('"job_id":"a"', '"job_id":"b","\\u006aob_id" : "a"'),
      text.replace('"seed":7', '"seed":7,"seed":7'),
      text.replace('{"manifest":', '{"manifest":{},"manifest":'),
    ]) {
      expect(more).not.toBe(text);
      expect((await check(more)).faults.join()).toContain('This is not a receipt');
    }
  });

  it('says so where keys, signatures or manifests are no such things', async () => {
    const receipt = await signed();
    const faultsOf = async (signature: object, manifest: object = receipt.manifest) => {
      const text = JSON.stringify({ manifest, signature: { ...receipt.signature, ...signature } });
      return (await check(text)).faults.join(' ');
    };
    expect(await faultsOf({ public_key: '…' })).toContain('cannot be read');
    expect(await faultsOf({ public_key: 'AAAA' })).toContain('another service made it');
    expect(await faultsOf({ value: '…' })).toContain('is not valid');
    const odd = JSON.stringify(await signReceipt({}, signer));
    expect((await check(odd)).faults.join()).toContain('other fields');
  });
});

describe('receiptOf', () => {
  const salt = 'b'.repeat(64);
  const manifest = Buffer.from(JSON.stringify(manifestOf()));
  const job = (bytes: Uint8Array = manifest): Job => ({
    ...newJob('a'),
    state: 'done',
    attempt: 1,
    queuedAt: null,
    startedAt: null,
    endedAt: null,
    request: null,
    estimate: null,
    progress: [],
    metrics: METRICS,
    receipt: { manifest_sha256: sha256Of(bytes), input_salt: salt },
    releasedAt: null,
    error: null,
  });
  const altered = { code: 'result_altered', params: { reason: 'manifest_altered', job_id: 'a' } };
  const odd = (change: object): Buffer => Buffer.from(JSON.stringify({ ...manifestOf(), ...change }));

  it('signs the manifest that the job ended with', async () => {
    const receipt = await receiptOf(job(), manifest, signer);
    const { key_id: key } = describeKey(await signer.publicKey());
    expect(verifyReceipt({ receipt: JSON.stringify(receipt), file: FILE, key }).faults).toEqual([]);
  });

  it.each([
    ['nothing in it', Buffer.from('{}')],
    ['no JSON', Buffer.from('manifest')],
    ['another hash of the output', odd({ output: { ...manifestOf().output, sha256: 'f'.repeat(64) } })],
  ])('signs none with %s in its place', async (_, bytes) => {
    await expect(receiptOf(job(), bytes, signer)).rejects.toMatchObject(altered);
  });

  it.each([
    ['a field that no receipt has', odd({ note: 'x' })],
    ['the id of another job', odd({ job_id: 'b' })],
    ['another form', odd({ format: 'synthetic-tables-receipt/1', input: { ...FILE, name: 'x' } })],
  ])('signs none with %s, whatever the record says', async (_, bytes) => {
    await expect(receiptOf(job(bytes), bytes, signer)).rejects.toMatchObject(altered);
  });
});
