/** Signatures of calls, as the Standard Webhooks specification (version 1) has them. */
import { toBase64 } from '../receipt/bytes.ts';

/** As a receiver is given it, and as libraries take it. */
export const secretText = (secret: Uint8Array): string => `whsec_${toBase64(secret)}`;

/**
 * The headers of a call: its id, which stays the same from try to try; when it was sent; and HMAC-SHA256 over
 * `id.timestamp.body`, in base64 behind `v1,`.
 */
export async function signCallback(
  secret: Uint8Array,
  id: string,
  at: Date,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
