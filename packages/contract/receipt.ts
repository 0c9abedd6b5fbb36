/** A receipt: what a table was made from, how, and how good it is, signed by the service that made it. */
import { z } from 'zod';
import { jobMetricsSchema } from './metrics.ts';
import { jobRequestSchema } from './requests.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const fileSchema = z.strictObject({ name: z.string(), bytes: z.int(), sha256 });

/** SHA-256 of a salt and, behind it, the file: nobody without the salt can try guesses of the file against it. */
const committedSchema = z.strictObject({ name: z.string(), commitment: sha256 });

/** 32 random bytes, hexadecimal. */
export const saltSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** What the record of a finished job keeps of its receipt: what the manifest must be, and the salt of the input. */
export const jobReceiptSchema = z.object({ manifest_sha256: sha256, input_salt: saltSchema });
export type JobReceipt = z.output<typeof jobReceiptSchema>;

/** What made the table. The same of all of it, and the same file, request and seed, give the same bytes on the CPU. */
export const softwareSchema = z.strictObject({
  name: z.literal('synthetic-tables'),
  version: z.string(),
  node: z.string(),
  /** Operating system and architecture. */
  platform: z.string(),
  processor: z.string(),
  /** The container's image; null outside of a container. */
  image: z.string().nullable(),
});
export type Software = z.output<typeof softwareSchema>;

/**
 * Roles, sizes, seed and all other settings, defaults filled in: POST /generate takes them as they are, with a job_id.
 * `sample_of` is there where the rows come from the model of another job.
 */
const requestSchema = jobRequestSchema.omit({ job_id: true });

export const manifestSchema = z.strictObject({
  format: z.literal('synthetic-tables-receipt/2'),
  job_id: z.string(),
  made_at: z.iso.datetime(),
  input: committedSchema,
  output: fileSchema.extend({ rows: z.int(), columns: z.array(z.string()) }),
  request: requestSchema,
  software: softwareSchema,
  metrics: jobMetricsSchema,
});
export type Manifest = z.output<typeof manifestSchema>;

export const receiptKeySchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  /** The first 32 hexadecimal digits of the key's SHA-256. */
  key_id: z.string(),
  /** The 32 bytes of the key, base64. */
  public_key: z.string(),
});
export type ReceiptKey = z.output<typeof receiptKeySchema>;

export const receiptSchema = z.strictObject({
  manifest: z
    .record(z.string(), z.json())
    .meta({ description: 'See the example; what is signed is its canonical JSON (RFC 8785) in UTF-8.' }),
  signature: receiptKeySchema.extend({ value: z.string() }),
});
/** What a table was made from and how: a manifest, signed by the service. */
export type Receipt = z.output<typeof receiptSchema>;
