/** The tool that says how good a synthetic table is. */
import { z } from 'zod';
import type { JobMetrics } from '../../packages/client/contract.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { figureCells, keyFigures } from '../../packages/words/figures.ts';
import { counted } from '../../packages/words/wording.ts';
import { defineTool, fitted, READS, takesDetail } from '../tool.ts';

export const readReport = defineTool({
  name: 'tables_read_report',
  title: 'Read how good a synthetic table is',
  description:
    'Verdicts on the synthetic table of a finished job (fidelity, utility, privacy, text, target model), with what would mend each, and its main figures beside those of held-out real rows. detail: full adds every metric.',
  input: { job_id: jobIdSchema, ...takesDetail },
  output: {
    job_id: z.string(),
    status: z.string(),
    judgements: z
      .array(
        z.looseObject({ area: z.string(), grade: z.string(), headline: z.string(), sentences: z.array(z.string()) }),
      )
      .describe('Verdicts in words; empty if the job is not done.'),
    metrics: z.looseObject({}).nullable().describe('Null if the job is not done; the main figures alone in a summary.'),
  },
  annotations: READS,
  async run(service, { job_id, detail }, { signal }) {
    const { status, metrics } = await service.status(job_id, { signal });
    if (!metrics) {
      const text = `Job ${job_id} is ${status}; its report is available when it is done.`;
      return { text, data: { job_id, status, judgements: [], metrics: null } };
    }
    const all = metrics.verdicts ?? [];
    const longest = Math.max(metrics.notes.length, ...all.map(({ sentences, next }) => sentences.length + next.length));
    const build = (shown: number) => {
      const judgements = all.map((judgement) => ({ ...judgement, sentences: judgement.sentences.slice(0, shown) }));
      const notes = metrics.notes.slice(0, shown);
      const text = [...judgements.map(verdictText), describeMetrics({ ...metrics, notes })].join('\n');
      return { text, data: { job_id, status, judgements, metrics: { ...mainOf(metrics), notes } } };
    };
    const answer = detail === 'full' ? build(longest) : fitted(longest, build);
    return detail === 'full' ? { ...answer, data: { ...answer.data, metrics: { ...metrics } } } : answer;
  },
});

type Judgement = NonNullable<JobMetrics['verdicts']>[number];

const verdictText = ({ area, grade, headline, sentences, next }: Judgement): string =>
  [`${area}: ${grade}. ${headline}`, ...sentences, ...next.map(({ text }) => `Next: ${text}`)].join(' ');

function mainOf({ rows_generated, columns, seed, numeric, holdout, sample_sizes }: JobMetrics) {
  return { rows_generated, columns: columns.length, seed, numeric, holdout, sample_sizes };
}

/** The figures that verdicts rest on, line by line, and the notes. */
const describeMetrics = (metrics: JobMetrics): string =>
  [
    `${counted(metrics.rows_generated, 'row')}, ${counted(metrics.columns.length, 'column')}, seed ${metrics.seed}.`,
    ...keyFigures(metrics).map((named) => {
      const [name, value, range, rows, real, verdict] = figureCells(named);
      return `- ${name}: ${value} (95 % interval ${range}, ${rows} rows; real rows get ${real}): ${verdict}`;
    }),
    ...metrics.notes.map((note) => `Note: ${note}`),
  ].join('\n');
