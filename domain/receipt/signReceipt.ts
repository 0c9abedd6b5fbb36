import type { Signer } from '../ports.ts';
import { toBase64, toHex } from './bytes.ts';
import { canonicalJson } from './canonicalJson.ts';
import type { Receipt, ReceiptKey } from './receipt.ts';

/** The manifest with the service's signature over its canonical JSON. */
export async function signReceipt(manifest: Receipt['manifest'], signer: Signer): Promise<Receipt> {
  const { signature, publicKey } = await signer.sign(new TextEncoder().encode(canonicalJson(manifest)));
  return { manifest, signature: { ...(await describeKey(publicKey)), value: toBase64(signature) } };
}

export async function describeKey(publicKey: Uint8Array): Promise<ReceiptKey> {
  return { algorithm: 'Ed25519', key_id: await keyIdOf(publicKey), public_key: toBase64(publicKey) };
}

export async function keyIdOf(publicKey: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(publicKey));
  return toHex(new Uint8Array(hash)).slice(0, 16);
}
