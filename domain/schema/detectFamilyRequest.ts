/** POST /detect_family: the body's fields. */
import { z } from 'zod';
import { jobIdSchema } from './generateRequest.ts';

export const detectFamilyRequestSchema = z.object({
  job_id: jobIdSchema,
  target_col: z
    .string({ error: 'must be a column name (a string); name the numeric column whose family is asked for' })
    .meta({ description: 'The column that POST /generate would get as target_col.' }),
});

export type DetectFamilyRequest = z.output<typeof detectFamilyRequestSchema>;
