/**
 * What may be shared of a job with `privacy`: what follows from its measurements, its request and the names in its file. The
 * receipt, the report for sharing, GET /status?for=sharing and the answers to assistants all take it from here.
 */
import type { Fact, ProgressEntry } from '../contract/events.ts';
import type { JobMetrics } from '../contract/metrics.ts';
import type { StatusReply } from '../contract/replies.ts';
import { entriesOf, untimedText } from './events.ts';
import { promiseVerdict } from './promise.ts';

/** Every other field of the metrics, and every other fact of the log, was computed from real rows without noise. */
const SHAREABLE = {
  metrics: ['rows_generated', 'columns', 'seed', 'version', 'formal_privacy'],
  facts: ['no_target', 'restored_model', 'privately_measured', 'numbers_drawn', 'report_drawn'],
} as const satisfies { metrics: readonly (keyof JobMetrics)[]; facts: readonly Fact[] };

/** In place of the figures that are for the owner. A figure that is added to the metrics has to be blanked here to compile. */
const BLANK: Omit<JobMetrics, (typeof SHAREABLE.metrics)[number] | 'verdicts'> = {
  numeric: {
    'KS (Avg)': null,
    'WD (Avg)': null,
    'Corr Diff (F-Norm)': null,
    'DCR (Avg)': null,
    'Duplicate Rate (%)': null,
    'TSTR R²': null,
    'TSTR RMSE': null,
    family: null,
  },
  regression: null,
  measured_on: null,
  fidelity: null,
  utility: null,
  privacy: null,
  text: null,
  release: null,
  holdout: null,
  sample_sizes: {},
  notes: [],
};

/** The metrics as they are if no privacy was promised; otherwise those that may be shared. */
export function shareable(metrics: JobMetrics): JobMetrics {
  const { rows_generated, columns, seed, version, formal_privacy } = metrics;
  if (!formal_privacy) return metrics;
  const shared: Pick<JobMetrics, (typeof SHAREABLE.metrics)[number]> = {
    rows_generated,
    columns,
    seed,
    version,
    formal_privacy,
  };
  return { ...BLANK, ...shared, verdicts: [promiseVerdict(formal_privacy)] };
}

/** Whether a job's figures of real rows are for the owner of the file alone. */
export const isForOwner = ({ request, metrics }: Pick<StatusReply, 'request' | 'metrics'>): boolean =>
  (request?.privacy ?? null) !== null || metrics?.formal_privacy !== undefined;

/** The status as it is if no privacy was asked for; otherwise without the salt of the receipt and all that is for the owner. */
export function shareableStatus(status: StatusReply): StatusReply {
  if (!isForOwner(status)) return status;
  const { job_id, file_name, sample_of, request, queue, metrics, release, error } = status;
  return {
    job_id,
    status: status.status,
    ...(file_name !== undefined && { file_name }),
    ...(sample_of !== undefined && { sample_of }),
    ...(request && { request }),
    // The wait is estimated from the sizes of files.
    ...(queue && { queue: { position: queue.position, seconds: null } }),
    progress: entriesOf(status).filter(isShareableEntry).map(untimedHttp),
    events: [],
    ...(metrics && { metrics: shareable(metrics) }),
    ...(release && { release }),
    error: error && { code: error.code, message: FAILURE_FOR_OWNER, params: { reason: 'for_owner' } },
  };
}

const FACTS: ReadonlySet<Fact> = new Set(SHAREABLE.facts);

/** Whether a step of a job with `privacy` may be told. */
const isShareableEntry = (entry: ProgressEntry): boolean => typeof entry === 'object' && FACTS.has(entry.fact);

/** How long a step took depends on the real rows. */
const untimedHttp = (entry: ProgressEntry): string => untimedText(entry, 'http');

const FAILURE_FOR_OWNER =
  'Why the job failed may tell of the real rows, so it is told to the owner of the file: GET /status without for=sharing has it.';
