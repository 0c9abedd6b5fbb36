import { z } from 'zod';
import { roleFields, suggestedRoles } from '../../client/roles.ts';
import { generateRequestSchema } from '../../domain/schema/generateRequest.ts';
import { defineTool } from '../tool.ts';

export const generate = defineTool({
  name: 'generate',
  title: 'Start the making of a synthetic table',
  description:
    'Starts the job of an upload. Either give every column a role by the lists (a column in no list is left out of the result), or set auto to true to take the suggested roles. Answers at once. Next: follow.',
  input: {
    ...generateRequestSchema.shape,
    auto: z
      .boolean()
      .default(false)
      .describe(
        'Take the suggested role for every column, but target_col for the target where it is given; the other lists are not looked at.',
      ),
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
    const { target_col, continuous_cols, categorical_cols, text_cols } = request;
    const given = { target_col, continuous_cols, categorical_cols, text_cols };
    const roles = auto
      ? roleFields(suggestedRoles(await service.columns(request.job_id, { signal }), target_col ?? undefined))
      : given;
    const { job_id, status } = await service.generate({ ...request, ...roles }, { signal });
    return {
      text: `Job ${job_id} ${status} with ${JSON.stringify(roles)}.`,
      data: { job_id, status, roles: { ...roles } },
    };
  },
});
