/** Number arrays inside JSON: base64 of their little-endian bytes, so that every bit comes back. */
import { z } from 'zod';
import type { Empirical } from '../../../numerics/distributions/empirical.ts';
import type { JsonValue } from '../model.ts';

type NumberArray = Float64Array | Float32Array | Int32Array | Uint8Array;

export function saveArray(array: NumberArray): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
}

/** The bytes as a buffer of their own, or undefined where they are no whole number of entries. */
function bytesOf(text: string, entryBytes: number): ArrayBuffer | undefined {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return bytes.length % entryBytes === 0 ? bytes.buffer : undefined;
}

const arraySchema = <T>(entryBytes: number, make: (bytes: ArrayBuffer) => T) =>
  z.base64().transform((text, context): T => {
    const bytes = bytesOf(text, entryBytes);
    if (bytes) return make(bytes);
    context.addIssue({ code: 'custom', message: `not a whole number of ${entryBytes}-byte entries` });
    return z.NEVER;
  });

export const float64Schema = arraySchema<Float64Array>(8, (bytes) => new Float64Array(bytes));
export const float32Schema = arraySchema<Float32Array>(4, (bytes) => new Float32Array(bytes));
export const int32Schema = arraySchema<Int32Array>(4, (bytes) => new Int32Array(bytes));

export function saveEmpirical(of: Empirical): JsonValue {
  return { shape: of.shape, values: saveArray(of.values), upTo: saveArray(of.upTo) };
}

export const empiricalSchema = z.object({
  shape: z.enum(['steps', 'line']),
  values: float64Schema,
  upTo: float64Schema,
});
