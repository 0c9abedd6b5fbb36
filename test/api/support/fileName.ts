/** A route that the service does not have: the file that `docs/extending.md` says to write. */
import { z } from 'zod';
import { jobInPath } from '../../../api/http/jobs.ts';
import { succeeded } from '../../../api/http/refused.ts';
import type { Route } from '../../../api/http/route.ts';

export const fileName: Route = {
  method: 'get',
  path: '/jobs/:job_id/file_name',
  access: 'key',
  needs: ['find job'],
  summary: 'What the uploaded file was called',
  description: 'The name as the client sent it.',
  reply: {
    contentType: 'application/json',
    data: z.object({ file_name: z.string() }),
    description: 'The name.',
    example: { file_name: 'penguins.csv' },
  },
  refusals: [],
  handle: async (c) => c.json(succeeded({ file_name: (await jobInPath(c)).fileName })),
};
