import { z } from 'zod';
import { ServiceError } from '../packages/contract/errors.ts';
import { manifestSchema, type Receipt, type ReceiptKey } from '../packages/contract/receipt.ts';
import { sha256Of } from './hashing.ts';
import type { Job } from './job/job.ts';
import type { Signer } from './ports.ts';

// RFC 8785: sorted keys, no blanks, numbers as in ECMAScript.

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, own]) => `${JSON.stringify(key)}:${canonicalJson(own)}`).join(',')}}`;
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Undefined unless exactly as `toBase64` writes it. For short texts. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const jsonObject = z.record(z.string(), z.json());

/** Signs only the manifest that the job ended with. Throws `result_altered`. */
export async function receiptOf(job: Job, manifest: Uint8Array, signer: Signer): Promise<Receipt> {
  const value = parseJson(new TextDecoder().decode(manifest));
  const parsed = manifestSchema.safeParse(value);
  const isWhole = parsed.success && sha256Of(manifest) === job.receipt?.manifest_sha256;
  if (!isWhole || parsed.data.job_id !== job.id) {
    throw new ServiceError({ reason: 'manifest_altered', job_id: job.id });
  }
  return signReceipt(jsonObject.parse(value), signer);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function signReceipt(manifest: Receipt['manifest'], signer: Signer): Promise<Receipt> {
  const { signature, publicKey } = await signer.sign(new TextEncoder().encode(canonicalJson(manifest)));
  return { manifest, signature: { ...describeKey(publicKey), value: toBase64(signature) } };
}

export const describeKey = (publicKey: Uint8Array): ReceiptKey => ({
  algorithm: 'Ed25519',
  key_id: keyIdOf(publicKey),
  public_key: toBase64(publicKey),
});

/** 128 bits, since shorter ids can collide. */
const KEY_ID_DIGITS = 32;

export const keyIdOf = (publicKey: Uint8Array): string => sha256Of(publicKey).slice(0, KEY_ID_DIGITS);
