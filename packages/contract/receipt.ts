/** States what made a table and its quality, signed. */
import { z } from 'zod';
import { jobMetricsSchema } from './metrics.ts';
import { jobRequestSchema } from './requests.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const fileSchema = z.strictObject({ name: z.string(), bytes: z.int(), sha256 });

/** SHA-256 of salt and file; without the salt, guesses cannot be checked. */
const committedSchema = z.strictObject({ name: z.string(), commitment: sha256 });

/** 32 random bytes, hexadecimal. */
export const saltSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** Stored with a finished job. */
export const jobReceiptSchema = z.object({ manifest_sha256: sha256, input_salt: saltSchema });
export type JobReceipt = z.output<typeof jobReceiptSchema>;

/** Reproduces the bytes on the CPU with the same file, request and seed. */
export const softwareSchema = z.strictObject({
  name: z.literal('synthetic-tables'),
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  processor: z.string(),
  image: z.string().nullable(),
});
export type Software = z.output<typeof softwareSchema>;

/** All settings, accepted by POST /generate with a job_id. `sample_of`: another job's model made the rows. */
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
  public_key: z.string(),
});
export type ReceiptKey = z.output<typeof receiptKeySchema>;

export const receiptSchema = z.strictObject({
  manifest: z
    .record(z.string(), z.json())
    .meta({ description: 'See the example. The signature covers its canonical JSON (RFC 8785) in UTF-8.' }),
  signature: receiptKeySchema.extend({ value: z.string() }),
});
/** A manifest of the table's origin, signed by the service. */
export type Receipt = z.output<typeof receiptSchema>;
