import { z } from 'zod';
import type { SyntheticTables } from '../../client/client.ts';
import type { ReportData } from '../../client/contract.ts';
import { RefusedError } from '../../client/errors.ts';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { describeMetrics } from '../describeMetrics.ts';
import { defineTool } from '../tool.ts';

export const fetchReport = defineTool({
  name: 'fetch_report',
  title: 'How good is the synthetic table?',
  description:
    'What was measured of the synthetic table of a job that is done: how it resembles the real one, how useful and how private it is, beside the same figures of real rows that no model saw, and notes.',
  input: { job_id: jobIdSchema },
  output: {
    job_id: z.string(),
    status: z.string(),
    judgements: z
      .array(
        z.looseObject({ area: z.string(), grade: z.string(), headline: z.string(), sentences: z.array(z.string()) }),
      )
      .describe('Verdicts in words; none where the job is not done.'),
    metrics: z.looseObject({}).nullable().describe('Null where the job is not done.'),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id }, { signal }) {
    const { status, metrics } = await service.status(job_id, { signal });
    if (!metrics) {
      const text = `Job ${job_id} is ${status}: there is a report when it is done.`;
      return { text, data: { job_id, status, judgements: [], metrics: null } };
    }
    const judgements = await judgementsOf(service, job_id, signal);
    const verdicts = judgements.map(({ area, grade, headline, sentences }) =>
      [`${area}: ${grade}. ${headline}`, ...sentences].join(' '),
    );
    const text = [...verdicts, describeMetrics(metrics)].join('\n');
    return { text, data: { job_id, status, judgements, metrics: { ...metrics } } };
  },
});

/** None where the job was run before there were reports. */
async function judgementsOf(
  service: SyntheticTables,
  jobId: string,
  signal: AbortSignal,
): Promise<ReportData['judgements']> {
  try {
    return (await service.reportData(jobId, { signal })).judgements;
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'no_result') return [];
    throw error;
  }
}
