import { z } from 'zod';
import type { SyntheticTables } from '../../packages/client/client.ts';
import { estimateSchema } from '../../packages/contract/replies.ts';
import {
  detectFamilyRequestSchema,
  type GenerateRequest,
  generateRequestSchema,
} from '../../packages/contract/requests.ts';
import { type RoleFields, roleFields, rolesBeside, suggestedRoles } from '../../packages/contract/roles.ts';
import { shareableStatus } from '../../packages/words/shareable.ts';
import { queueText } from '../../packages/words/wording.ts';
import { refuseForOwner, takesOwnerFigures } from '../forOwner.ts';
import { ADDS, ArgumentError, defineTool, READS } from '../tool.ts';

const takesAuto = z
  .boolean()
  .default(false)
  .describe(
    'Use the suggested role of every column; with privacy, the role that its domain gives it. target_col, if given, is the target, and target "none" means none; the other lists are ignored.',
  );

const MAX_NAMES = 20;

type Asked = Omit<RoleFields, 'target'> &
  Pick<GenerateRequest, 'job_id' | 'target' | 'entity_col' | 'privacy' | 'domain'>;

/** Waits by default, since assistants forget to retry. */
export const takesQueue = z
  .boolean()
  .default(true)
  .describe('Whether the job waits for its turn where no slot is free; by default it does. false refuses it instead.');

async function chosenRoles(
  service: SyntheticTables,
  { job_id, target_col, target, entity_col, continuous_cols, categorical_cols, text_cols, privacy, domain }: Asked,
  auto: boolean,
  signal: AbortSignal,
): Promise<RoleFields> {
  if (!auto) return { target_col, continuous_cols, categorical_cols, text_cols };
  // Suggestions come from cells, which privacy excludes.
  if (privacy) return domainRoles(domain ?? {}, target_col);
  const wanted = target === 'none' ? null : (target_col ?? undefined);
  return roleFields(rolesBeside(suggestedRoles(await service.columns(job_id, { signal }), wanted), entity_col));
}

function domainRoles(domain: NonNullable<Asked['domain']>, target_col: string | null): RoleFields {
  const others = Object.entries(domain).filter(([name]) => name !== target_col);
  const named = ({ isOfLevels }: { isOfLevels: boolean }): string[] =>
    others.filter(([, own]) => 'levels' in own === isOfLevels).map(([name]) => name);
  return {
    target_col,
    continuous_cols: named({ isOfLevels: false }),
    categorical_cols: named({ isOfLevels: true }),
    text_cols: [],
  };
}

const rolesOutput = z.looseObject({
  target: z.string().nullable(),
  continuous: z.int(),
  categorical: z.int(),
  text: z.array(z.string()),
});

/** Counts, since names may be hundreds. */
const countRoles = ({ target_col, continuous_cols, categorical_cols, text_cols }: RoleFields) => ({
  target: target_col,
  continuous: continuous_cols.length,
  categorical: categorical_cols.length,
  text: text_cols.slice(0, MAX_NAMES),
});

export const generate = defineTool({
  name: 'tables_generate',
  title: 'Generate a synthetic table',
  description:
    'Starts the job of an upload. Set auto to true to use the suggested roles, or list the columns of each role (a column in no list is left out of the result). Answers at once. Next: tables_status.',
  input: { ...generateRequestSchema.shape, auto: takesAuto, queue: takesQueue },
  output: { job_id: z.string(), status: z.string(), roles: rolesOutput },
  annotations: ADDS,
  async run(service, { auto, ...request }, { signal }) {
    const chosen = await chosenRoles(service, request, auto, signal);
    const { job_id, status } = await service.generate({ ...request, ...chosen }, { signal });
    const roles = countRoles(chosen);
    const target = roles.target === null ? 'no target' : `the target ${JSON.stringify(roles.target)}`;
    const others = `${roles.continuous} continuous, ${roles.categorical} categorical and ${chosen.text_cols.length} text columns`;
    return {
      text: `Job ${job_id} ${status} with ${target}, ${others}.${await placeText(service, job_id, status, signal)} Next: tables_status.`,
      data: { job_id, status, roles },
    };
  },
});

export async function placeText(
  service: SyntheticTables,
  jobId: string,
  status: string,
  signal: AbortSignal,
): Promise<string> {
  const place = status === 'queued' ? shareableStatus(await service.status(jobId, { signal })).queue : undefined;
  return place ? ` ${queueText(place)}.` : '';
}

export const estimate = defineTool({
  name: 'tables_estimate',
  title: 'Estimate time, memory and cost',
  description:
    'Takes the input of tables_generate but starts nothing. Answers with seconds on the machine, CPU seconds, memory, cost where the service knows prices, the time by stage, and a cheaper plan. Call it before a job with many rows or long texts, and tell the user if the job takes minutes.',
  input: { ...generateRequestSchema.shape, auto: takesAuto, ...takesOwnerFigures },
  output: { ...estimateSchema.shape, roles: rolesOutput },
  annotations: READS,
  async run(service, { auto, owner_figures, ...request }, { signal }) {
    const asking = { tool: 'tables_estimate', jobId: request.job_id, ownerFigures: owner_figures, signal };
    if (request.privacy && !owner_figures) throw new ArgumentError({ reason: 'figures_for_owner', tool: asking.tool });
    await refuseForOwner(service, asking);
    const roles = await chosenRoles(service, request, auto, signal);
    const { warnings: _, ...found } = await service.estimate({ ...request, ...roles }, { signal });
    const { seconds, cpu_seconds, memory_mb, cost, cheaper } = found;
    const price = cost ? `, about $${cost.usd.toFixed(3)} (assuming ${cost.assumes})` : '';
    const plan = cheaper
      ? ` A cheaper plan takes about ${cheaper.seconds.expected} s with ${JSON.stringify(cheaper.fields)}; the trade-offs: ${cheaper.tradeoffs.join('; ')}.`
      : '';
    const text = `About ${seconds.expected} s (${seconds.low} to ${seconds.high}) on the machine of the service, ${cpu_seconds.expected} CPU seconds, ${memory_mb} MB${price}.${plan}`;
    return { text, data: { ...found, roles: countRoles(roles) } };
  },
});

export const detectFamily = defineTool({
  name: 'tables_detect_family',
  title: 'Choose a distribution family for a target',
  description: 'The family that tables_generate with family "auto" would choose for this target column, and why.',
  input: { ...detectFamilyRequestSchema.shape, ...takesOwnerFigures },
  output: { family: z.string(), reason: z.string() },
  annotations: READS,
  async run(service, { job_id, target_col, owner_figures }, { signal }) {
    const asking = { tool: 'tables_detect_family', jobId: job_id, ownerFigures: owner_figures, signal };
    await refuseForOwner(service, asking);
    const { family, reason } = await service.detectFamily(job_id, target_col, { signal });
    return { text: `${family}. ${reason}`, data: { family, reason } };
  },
});
