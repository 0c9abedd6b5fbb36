/** Checks a receipt and its file without the service. */
import { createPublicKey, verify } from 'node:crypto';
import { type Manifest, manifestSchema, type Receipt, receiptSchema } from '../packages/contract/receipt.ts';
import { canonicalJson, fromBase64, keyIdOf } from '../service/receipt.ts';

/** A file as it was found. */
export interface FoundFile {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface Verification {
  /** What does not hold, in sentences; empty where the receipt and the file are as they were made. */
  faults: string[];
  /** Undefined where the text is no receipt. */
  manifest?: Manifest;
  keyId?: string;
}

/**
 * Checks a receipt against a file. `expectedKey`: the key id, or the whole public key, that the service is known by; where
 * it is not given, anybody may have signed.
 */
export async function verifyReceipt(text: string, file: FoundFile, expectedKey?: string): Promise<Verification> {
  const receipt = readReceipt(text);
  if (!receipt) return { faults: ['This is not a receipt: it is not the JSON that GET /receipt/{job_id} returns.'] };
  const { signature } = receipt;
  const publicKey = fromBase64(signature.public_key);
  const faults = publicKey
    ? await signatureFaults(receipt, publicKey)
    : ['The public key in the receipt cannot be read.'];
  const keyId = publicKey && (await keyIdOf(publicKey));
  if (expectedKey !== undefined && expectedKey !== keyId && expectedKey !== signature.public_key) {
    faults.push(
      `The receipt was signed with the key ${keyId ?? '(none)'}, not with ${expectedKey}: another service made it.`,
    );
  }
  const manifest = manifestSchema.safeParse(receipt.manifest);
  if (!manifest.success) faults.push('The manifest in the receipt lacks fields that every receipt has.');
  else faults.push(...fileFaults(manifest.data, file));
  return { faults, ...(manifest.success && { manifest: manifest.data }), ...(keyId !== undefined && { keyId }) };
}

/** Takes the answer of GET /receipt/{job_id} as it came, or its `data` alone. */
function readReceipt(text: string): Receipt | undefined {
  const value = parseJson(text);
  const inner = typeof value === 'object' && value !== null && 'data' in value ? value.data : value;
  const parsed = receiptSchema.safeParse(inner);
  return parsed.success ? parsed.data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function signatureFaults(
  { manifest, signature }: Receipt,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<string[]> {
  const value = fromBase64(signature.value);
  const bytes = new TextEncoder().encode(canonicalJson(manifest));
  const holds = value !== undefined && isSigned(bytes, value, publicKey);
  const faults = holds ? [] : ['The signature is not valid: the receipt was changed after it was signed.'];
  if (signature.key_id !== (await keyIdOf(publicKey))) faults.push('The key id in the receipt does not match its key.');
  return faults;
}

/** What stands before a public key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** By node:crypto: on Node 20, Ed25519 of `crypto.subtle` prints a warning. */
function isSigned(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
    return verify(null, bytes, key, signature);
  } catch {
    return false;
  }
}

function fileFaults({ output }: Manifest, file: FoundFile): string[] {
  if (file.sha256 === output.sha256 && file.bytes === output.bytes) return [];
  const size = file.bytes === output.bytes ? 'its size is right' : `it has ${file.bytes} bytes, not ${output.bytes}`;
  return [`The file is not the one in the receipt: ${size}, and its SHA-256 is ${file.sha256}, not ${output.sha256}.`];
}
