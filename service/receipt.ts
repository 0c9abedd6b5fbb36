/** Receipts: a manifest as canonical JSON, signed. */
import type { Receipt, ReceiptKey } from '../packages/contract/receipt.ts';
import type { Signer } from './ports.ts';

// One text for one value: JSON with its keys in order and no blanks, numbers as ECMAScript writes them (RFC 8785).

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, own]) => `${JSON.stringify(key)}:${canonicalJson(own)}`).join(',')}}`;
}

// Bytes as text and back.

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Undefined where the text is no base64. For short texts. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

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
