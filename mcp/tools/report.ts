import { z } from 'zod';
import type { JobMetrics } from '../../packages/client/contract.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { figureCells, keyFigures } from '../../packages/words/figures.ts';
import { isForOwner } from '../../packages/words/shareable.ts';
import { counted } from '../../packages/words/wording.ts';
import { OWNER_HINT, statusFor, takesOwnerFigures } from '../forOwner.ts';
import { defineTool, fitted, READS, takesDetail } from '../tool.ts';

const NAME = 'tables_read_report';

export const readReport = defineTool({
  name: NAME,
  title: 'Read how good a synthetic table is',
  description:
    'Verdicts on the synthetic table of a finished job (fidelity, utility, privacy, text, target model), with what would mend each, and its main figures beside those of held-out real rows. detail: full adds every metric. Of a job with privacy it answers with the promise alone, unless owner_figures is true.',
  input: { job_id: jobIdSchema, ...takesDetail, ...takesOwnerFigures },
  output: {
    job_id: z.string(),
    status: z.string(),
    judgements: z
      .array(
        z.looseObject({ area: z.string(), grade: z.string(), headline: z.string(), sentences: z.array(z.string()) }),
      )
      .describe('Verdicts in words; empty if the job is not done.'),
    metrics: z.looseObject({}).nullable().describe('Null if the job is not done; the main figures alone in a summary.'),
    figures_for_owner: z
      .boolean()
      .describe('Whether figures are left out, since they are for the owner of the file alone.'),
  },
  annotations: READS,
  async run(service, { job_id, detail, owner_figures }, { signal }) {
    const asking = { tool: NAME, jobId: job_id, ownerFigures: owner_figures, signal };
    const found = await statusFor(service, asking);
    const { status, metrics } = found;
    const figures_for_owner = !owner_figures && isForOwner(found);
    if (!metrics) {
      const text = `Job ${job_id} is ${status}; its report is available when it is done.`;
      return { text, data: { job_id, status, judgements: [], metrics: null, figures_for_owner } };
    }
    const hint = figures_for_owner ? [OWNER_HINT] : [];
    const all = metrics.verdicts ?? [];
    const longest = Math.max(metrics.notes.length, ...all.map(({ sentences, next }) => sentences.length + next.length));
    const build = (shown: number) => {
      const judgements = all.map((judgement) => ({ ...judgement, sentences: judgement.sentences.slice(0, shown) }));
      const notes = metrics.notes.slice(0, shown);
      const text = [...judgements.map(verdictText), describeMetrics({ ...metrics, notes }), ...hint].join('\n');
      const main = { ...mainOf(metrics), notes };
      return { text, data: { job_id, status, judgements, metrics: main, figures_for_owner } };
    };
    const answer = detail === 'full' ? build(longest) : fitted(longest, build);
    return detail === 'full' ? { ...answer, data: { ...answer.data, metrics: { ...metrics } } } : answer;
  },
});

type Judgement = NonNullable<JobMetrics['verdicts']>[number];

const verdictText = ({ area, grade, headline, sentences, next }: Judgement): string =>
  [`${area}: ${grade}. ${headline}`, ...sentences, ...next.map(({ text }) => `Next: ${text}`)].join(' ');

function mainOf({ rows_generated, columns, seed, numeric, holdout, sample_sizes, formal_privacy }: JobMetrics) {
  const promise = formal_privacy && { formal_privacy };
  return { rows_generated, columns: columns.length, seed, numeric, holdout, sample_sizes, ...promise };
}

const describeMetrics = (metrics: JobMetrics): string =>
  [
    `${counted(metrics.rows_generated, 'row')}, ${counted(metrics.columns.length, 'column')}, seed ${metrics.seed}.`,
    ...keyFigures(metrics).map((named) => {
      const [name, value, range, rows, real, verdict] = figureCells(named);
      return `- ${name}: ${value} (95 % interval ${range}, ${rows} rows; real data score ${real}): ${verdict}`;
    }),
    ...metrics.notes.map((note) => `Note: ${note}`),
  ].join('\n');
