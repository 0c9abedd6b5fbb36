/** Tools that start a job, or say beforehand what it would be. */
import { z } from 'zod';
import type { SyntheticTables } from '../../packages/client/client.ts';
import { estimateSchema } from '../../packages/contract/replies.ts';
import { detectFamilyRequestSchema, generateRequestSchema } from '../../packages/contract/requests.ts';
import { type RoleFields, roleFields, suggestedRoles } from '../../packages/contract/roles.ts';
import { defineTool } from '../tool.ts';

const takesAuto = z
  .boolean()
  .default(false)
  .describe(
    'Use the suggested role of every column. target_col, if given, is the target; the other lists are ignored.',
  );

/** The roles that a request names, or the suggested ones where it asks for those. */
async function chosenRoles(
  service: SyntheticTables,
  { job_id, target_col, continuous_cols, categorical_cols, text_cols }: Omit<RoleFields, 'target'> & { job_id: string },
  auto: boolean,
  signal: AbortSignal,
): Promise<RoleFields> {
  if (!auto) return { target_col, continuous_cols, categorical_cols, text_cols };
  return roleFields(suggestedRoles(await service.columns(job_id, { signal }), target_col ?? undefined));
}

export const generate = defineTool({
  name: 'generate',
  title: 'Generate a synthetic table',
  description:
    'Starts the job of an upload. Either list the columns of each role (a column in no list is left out of the result), or set auto to true to use the suggested roles. Answers at once. Next: follow.',
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

export const estimate = defineTool({
  name: 'estimate',
  title: 'Estimate time, memory and cost',
  description:
    'Takes the input of generate but starts nothing. Answers with seconds, memory, cost where the service knows prices, the time by stage, and a cheaper plan. Call it before a job with many rows or long texts, and tell the user if the job takes minutes.',
  input: { ...generateRequestSchema.shape, auto: takesAuto },
  output: { ...estimateSchema.shape, roles: z.looseObject({}) },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { auto, ...request }, { signal }) {
    const roles = await chosenRoles(service, request, auto, signal);
    const { warnings: _, ...found } = await service.estimate({ ...request, ...roles }, { signal });
    const { seconds, memory_mb, cost, cheaper } = found;
    const price = cost ? `, about $${cost.usd.toFixed(3)} (assuming ${cost.assumes})` : '';
    const plan = cheaper
      ? ` A cheaper plan takes about ${cheaper.seconds.expected} s with ${JSON.stringify(cheaper.fields)}; the trade-offs: ${cheaper.tradeoffs.join('; ')}.`
      : '';
    const text = `About ${seconds.expected} s (${seconds.low} to ${seconds.high}), ${memory_mb} MB${price}.${plan}`;
    return { text, data: { ...found, roles: { ...roles } } };
  },
});

export const detectFamily = defineTool({
  name: 'detect_family',
  title: 'Choose a distribution family for a target',
  description: 'The family that generate with family "auto" would choose for this target column, and why.',
  input: detectFamilyRequestSchema.shape,
  output: { family: z.string(), reason: z.string() },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id, target_col }, { signal }) {
    const { family, reason } = await service.detectFamily(job_id, target_col, { signal });
    return { text: `${family}. ${reason}`, data: { family, reason } };
  },
});
