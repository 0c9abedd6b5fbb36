import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { type Manifest, manifestSchema, type ReceiptKey, receiptSchema } from '../packages/contract/receipt.ts';
import { quoted } from '../packages/words/wording.ts';
import { canonicalJson, fromBase64, keyIdOf } from '../service/receipt.ts';

export interface FoundFile {
  bytes: number;
  sha256: string;
}

export interface FoundInput extends FoundFile {
  /** SHA-256 of salt and file, hexadecimal; null without a salt. */
  commitment: string | null;
}

export interface Evidence {
  /** Reply of GET /receipt/{job_id}, or its `data`. */
  receipt: string;
  file: FoundFile;
  /** The service's trusted key: see `readKey`. */
  key: string;
  input?: FoundInput;
}

export interface Verification {
  /** Sentences; empty if everything is valid. */
  faults: string[];
  manifest?: Manifest;
}

/**
 * Accepts a key id (32 hexadecimal digits), a public key in base64, or the JSON of GET /receipt-key; otherwise
 * undefined.
 */
export function readKey(text: string): string | undefined {
  const trimmed = text.trim();
  if (KEY_ID.test(trimmed) || fromBase64(trimmed)?.byteLength === KEY_BYTES) return trimmed;
  const reply = keyReplySchema.safeParse(parseJson(trimmed));
  return reply.success && reply.data.public_key !== trimmed ? readKey(reply.data.public_key) : undefined;
}

const KEY_ID = /^[0-9a-f]{32}$/;
const KEY_BYTES = 32;

const publicKeySchema = z.object({ public_key: z.string() });
const keyReplySchema = z.union([publicKeySchema, z.object({ data: publicKeySchema }).transform(({ data }) => data)]);

/** Reports the first fault of the receipt, or all faults of files. */
export function verifyReceipt({ receipt, file, key, input }: Evidence): Verification {
  const read = readReceipt(receipt);
  if ('fault' in read) return { faults: [read.fault] };
  const fault = signatureFault(read, key);
  if (fault !== undefined) return { faults: [fault] };
  const parsed = manifestSchema.safeParse(read.manifest);
  if (!parsed.success) return { faults: ['The manifest in the receipt has other fields than receipts have.'] };
  const manifest = parsed.data;
  const faults = [
    ...keyIdFault(read.signature),
    ...fileFaults(manifest, file),
    ...(input ? inputFaults(manifest, input) : []),
  ];
  return { faults, manifest };
}

interface ReadReceipt {
  manifest: z.output<typeof jsonObject>;
  signature: z.output<typeof receiptSchema>['signature'];
}

const jsonObject = z.record(z.string(), z.json());
const envelopeSchema = z.strictObject({ success: z.literal(true), data: z.unknown(), error: z.null() });
const partsSchema = z.object({ manifest: z.custom<z.output<typeof jsonObject>>() });

/** Rejects extra fields, which would look as if signed. */
function readReceipt(text: string): ReadReceipt | { fault: string } {
  const value = parseJson(text);
  const envelope = envelopeSchema.safeParse(value);
  const inner = envelope.success ? envelope.data.data : value;
  const parsed = receiptSchema.safeParse(inner);
  if (!parsed.success) {
    return { fault: 'This is not a receipt: it is not the JSON of one that a service signed, and nothing else.' };
  }
  const twice = nameGivenTwice(text);
  if (twice !== undefined)
    return { fault: `This is not a receipt: an object in it has the name ${quoted(twice)} twice.` };
  return { manifest: partsSchema.parse(inner).manifest, signature: parsed.data.signature };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const JSON_TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;

/** Parsers differ in which of two equal names counts. */
function nameGivenTwice(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string = '', colon] of text.matchAll(JSON_TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = String(JSON.parse(string));
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

function signatureFault({ manifest, signature }: ReadReceipt, expected: string): string | undefined {
  const publicKey = fromBase64(signature.public_key);
  if (!publicKey) return 'The public key in the receipt cannot be read.';
  const keyId = keyIdOf(publicKey);
  if (expected !== keyId && expected !== signature.public_key) {
    return `The receipt was signed with the key ${keyId}, not with ${expected}: another service made it.`;
  }
  const value = fromBase64(signature.value);
  const bytes = new TextEncoder().encode(canonicalJson(manifest));
  const holds = value !== undefined && isSigned(bytes, value, publicKey);
  return holds ? undefined : 'The signature is not valid: the receipt was changed after it was signed.';
}

/** Prefix of a key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** On Node 20, Ed25519 of `crypto.subtle` prints a warning. */
function isSigned(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
    return verify(null, bytes, key, signature);
  } catch {
    return false;
  }
}

/** An id only names the key. Version 0.1 has ids of 16 digits. */
function keyIdFault({ key_id, public_key }: ReceiptKey): string[] {
  const keyId = keyIdOf(fromBase64(public_key) ?? new Uint8Array());
  return key_id === keyId ? [] : ['The key id in the receipt does not match its key.'];
}

function fileFaults({ output }: Manifest, file: FoundFile): string[] {
  if (file.sha256 === output.sha256 && file.bytes === output.bytes) return [];
  const size = file.bytes === output.bytes ? 'its size is right' : `it has ${file.bytes} bytes, not ${output.bytes}`;
  return [`The file is not the one in the receipt: ${size}, and its SHA-256 is ${file.sha256}, not ${output.sha256}.`];
}

function inputFaults(manifest: Manifest, found: FoundInput): string[] {
  if (found.commitment === null) {
    return [
      'The receipt shows its input only to whoever has the salt: give it as --salt. Only the owner of the job was told it.',
    ];
  }
  const isSame = found.commitment === manifest.input.commitment;
  return isSame ? [] : ['The input or the salt is not the one in the receipt: their SHA-256 together differs.'];
}
