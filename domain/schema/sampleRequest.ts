/** POST /sample: the body's fields, and what the record of a job keeps of where its rows come from. */
import { z } from 'zod';
import { generateRequestSchema } from './generateRequest.ts';

const { n_samples, seed, conditions } = generateRequestSchema.shape;

export const sampleRequestSchema = z.object({
  rows: n_samples,
  seed: seed.meta({
    description: 'The same job, rows, conditions and seed give the same bytes; made and recorded where left out.',
  }),
  conditions,
});

/** A request as a client may send it. */
export type SampleRequestBody = z.input<typeof sampleRequestSchema>;

/** A request with every default filled in. */
export type SampleRequest = z.output<typeof sampleRequestSchema>;

/** The request of a job as its record keeps it: POST /generate's, and whose model makes the rows where it has none of its own. */
export const jobRequestSchema = generateRequestSchema.extend({
  sample_of: z.object({ job_id: z.string(), attempt: z.int() }).optional(),
});

export type JobRequest = z.output<typeof jobRequestSchema>;
