import { fromBase64 } from './bytes.ts';
import { canonicalJson } from './canonicalJson.ts';
import { type Manifest, manifestSchema, type Receipt, receiptSchema } from './receipt.ts';
import { keyIdOf } from './signReceipt.ts';

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
  if (!receipt)
    return { faults: ['This is no receipt of the service: it is not the JSON that GET /receipt/{job_id} answers.'] };
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
  const holds = value !== undefined && (await isSigned(bytes, value, publicKey));
  const faults = holds ? [] : ['The signature does not hold: the receipt was changed after it was signed.'];
  if (signature.key_id !== (await keyIdOf(publicKey))) faults.push('The key id in the receipt is not that of its key.');
  return faults;
}

async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, bytes);
  } catch {
    return false;
  }
}

function fileFaults({ output }: Manifest, file: FoundFile): string[] {
  if (file.sha256 === output.sha256 && file.bytes === output.bytes) return [];
  const size = file.bytes === output.bytes ? 'its size is right' : `it has ${file.bytes} bytes, not ${output.bytes}`;
  return [
    `The file is not the one that the receipt speaks of: ${size}, its SHA-256 is ${file.sha256}, not ${output.sha256}.`,
  ];
}
