import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner, keyOfSeed } from '../../../adapters/shared/keys.ts';
import { verifyReceipt } from '../../../cli/verifyReceipt.ts';
import { canonicalJson, describeKey, fromBase64, signReceipt, toBase64, toHex } from '../../../service/receipt.ts';
import { FILE, manifestOf } from '../../support/manifests.ts';

/** RFC 8032, section 7.1, test 2. */
const RFC = {
  seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  message: '72',
  signature:
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
};
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
    expect([toHex(signature), toHex(publicKey)]).toEqual([RFC.signature, RFC.publicKey]);
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
    expect(toHex(await late.publicKey())).toBe(RFC.publicKey);
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
    expect(fromBase64('…')).toBeUndefined();
  });
});

describe('verifyReceipt', () => {
  it('takes a receipt and its file, in the envelope or without, however its JSON is laid out', async () => {
    const receipt = await signed();
    const { key_id } = await describeKey(await signer.publicKey());
    for (const text of [
      JSON.stringify(receipt),
      JSON.stringify({ success: true, data: receipt, error: null }, null, 3),
    ]) {
      expect(await verifyReceipt(text, FILE, key_id)).toMatchObject({ faults: [], keyId: key_id });
    }
  });

  it.each<[what: string, change: Parameters<typeof signed>[0]]>([
    ['hash', (manifest) => Object.assign(manifest.output, { sha256: 'f'.repeat(64) })],
    ['seed', (manifest) => Object.assign(manifest.request, { seed: 8 })],
    ['role', (manifest) => Object.assign(manifest.request, { target_col: 'other' })],
    ['metric', (manifest) => Object.assign(manifest.metrics.numeric, { 'KS (Avg)': 0.001 })],
    ['version', (manifest) => Object.assign(manifest.software, { version: '9' })],
  ])('finds a changed %s', async (_what, change) => {
    const { faults } = await verifyReceipt(JSON.stringify(await signed(change)), FILE);
    expect(faults).toContain('The signature is not valid: the receipt was changed after it was signed.');
  });

  it('finds another file, and says what differs', async () => {
    const text = JSON.stringify(await signed());
    const [other] = (await verifyReceipt(text, { bytes: 9, sha256: 'a'.repeat(64) })).faults;
    expect(other).toMatch(/it has 9 bytes, not 3, and its SHA-256 is a+, not ba7816bf/);
    const [changed] = (await verifyReceipt(text, { ...FILE, sha256: 'a'.repeat(64) })).faults;
    expect(changed).toContain('its size is right');
  });

  it('finds a receipt that somebody else signed', async () => {
    const other = createSigner(async () => keyOfSeed(new Uint8Array(32)));
    const text = JSON.stringify(await signReceipt(manifestOf(), other));
    const { key_id, public_key } = await describeKey(await signer.publicKey());
    expect((await verifyReceipt(text, FILE)).faults).toEqual([]);
    for (const expected of [key_id, public_key]) {
      expect((await verifyReceipt(text, FILE, expected)).faults.join()).toContain('another service made it');
    }
  });

  it('finds a key under the id of another one', async () => {
    const receipt = await signed();
    receipt.signature.key_id = '0'.repeat(16);
    expect((await verifyReceipt(JSON.stringify(receipt), FILE)).faults).toEqual([
      'The key id in the receipt does not match its key.',
    ]);
  });

  it.each(['', '{}', 'null', '[]', '{"manifest": 1}', '{"data": null}', '"text"'])(
    'takes %s for no receipt',
    async (text) => {
      expect((await verifyReceipt(text, FILE)).faults.join()).toContain('This is not a receipt');
    },
  );

  it('says so where keys, signatures or manifests are no such things', async () => {
    const receipt = await signed();
    const faultsOf = async (signature: object, manifest: object = receipt.manifest) => {
      const text = JSON.stringify({ manifest, signature: { ...receipt.signature, ...signature } });
      return (await verifyReceipt(text, FILE)).faults.join(' ');
    };
    expect(await faultsOf({ public_key: '…' })).toContain('cannot be read');
    expect(await faultsOf({ public_key: 'AAAA' })).toContain('is not valid');
    expect(await faultsOf({ value: '…' })).toContain('is not valid');
    expect(await faultsOf({}, {})).toContain('lacks fields');
  });
});
