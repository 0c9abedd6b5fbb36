import Papa from 'papaparse';
import { z } from 'zod';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { takeRecords } from '../takeRecords.ts';
import { defineTool } from '../tool.ts';

const MOST = 200;
const STANDARD = 20;

export const fetchRows = defineTool({
  name: 'fetch_rows',
  title: 'Rows of a synthetic table',
  description: `Rows of the synthetic table of a job that is done, as CSV with a header line: at most ${MOST} a call. GET /download/{job_id} of the service gives the whole file.`,
  input: {
    job_id: jobIdSchema,
    offset: z.int().min(0).max(1_000_000).default(0).describe('How many rows to pass over.'),
    limit: z
      .int()
      .min(1)
      .max(MOST)
      .default(STANDARD)
      .describe(`Rows to give, 1 to ${MOST}; ${STANDARD} where left out.`),
  },
  output: {
    job_id: z.string(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    offset: z.int(),
    more: z.boolean().describe('Whether there are rows behind these.'),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id, offset, limit }, { signal }) {
    const { body } = await service.download(job_id, { signal });
    const { columns, rows, more } = await takeRecords(body, offset, limit);
    const text = Papa.unparse([columns, ...rows], { newline: '\n' });
    return { text, data: { job_id, columns, rows, offset, more } };
  },
});
