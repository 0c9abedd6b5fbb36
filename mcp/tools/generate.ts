import { z } from 'zod';
import { generateRequestSchema } from '../../domain/schema/generateRequest.ts';
import { defineTool } from '../tool.ts';
import { chosenRoles, takesAuto } from './roles.ts';

export const generate = defineTool({
  name: 'generate',
  title: 'Start the making of a synthetic table',
  description:
    'Starts the job of an upload. Either give every column a role by the lists (a column in no list is left out of the result), or set auto to true to take the suggested roles. Answers at once. Next: follow.',
  input: {
    ...generateRequestSchema.shape,
    auto: takesAuto,
  },
  output: {
    job_id: z.string(),
    status: z.string(),
    roles: z.looseObject({
      target_col: z.string().nullable(),
      continuous_cols: z.array(z.string()),
      categorical_cols: z.array(z.string()),
      text_cols: z.array(z.string()),
    }),
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { auto, ...request }, { signal }) {
    const roles = await chosenRoles(service, request, auto, signal);
    const { job_id, status } = await service.generate({ ...request, ...roles }, { signal });
    return {
      text: `Job ${job_id} ${status} with ${JSON.stringify(roles)}.`,
      data: { job_id, status, roles: { ...roles } },
    };
  },
});
