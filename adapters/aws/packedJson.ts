/** JSON in one attribute: as text, which an operator can read, or compressed, where a table has very many columns. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

const TEXT_BYTES = 16_384;
/** An expansion beyond what is ever written is a fault. */
const MAX_BYTES = 16_777_216;

export function packJson(value: unknown): AttributeValue {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  return bytes.byteLength <= TEXT_BYTES ? { S: text } : { B: gzipSync(bytes, { level: 9 }) };
}

export const packedBytes = (packed: AttributeValue): number =>
  packed.B?.byteLength ?? Buffer.byteLength(packed.S ?? '');

/** What was packed, or null where there is nothing. */
export function unpackJson(packed: AttributeValue | undefined): unknown {
  if (packed?.B) return JSON.parse(gunzipSync(packed.B, { maxOutputLength: MAX_BYTES }).toString());
  return packed?.S === undefined ? null : JSON.parse(packed.S);
}
