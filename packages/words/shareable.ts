/** Of a job with `privacy`, only its measurements, its request and the names of its file may be shared. */
import type { Fact, ProgressEntry } from '../contract/events.ts';
import type { JobMetrics } from '../contract/metrics.ts';
import type { StatusReply } from '../contract/replies.ts';
import { entriesOf, untimedText } from './events.ts';
import { promiseVerdict } from './promise.ts';

/** All other metrics and facts derive from real rows without noise. */
const SHAREABLE = {
  metrics: ['rows_generated', 'columns', 'seed', 'version', 'formal_privacy'],
  facts: ['no_target', 'restored_model', 'privately_measured', 'numbers_drawn', 'report_drawn'],
} as const satisfies { metrics: readonly (keyof JobMetrics)[]; facts: readonly Fact[] };

/** Replaces the owner's figures. The type forces new metrics to be listed here. */
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

/** Returns the shareable metrics; all without `privacy`. */
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

/** Whether figures of real rows are for the owner only. */
export const isForOwner = ({ request, metrics }: Pick<StatusReply, 'request' | 'metrics'>): boolean =>
  (request?.privacy ?? null) !== null || metrics?.formal_privacy !== undefined;

/** Also removes the receipt's salt; unchanged without `privacy`. */
export function shareableStatus(status: StatusReply): StatusReply {
  if (!isForOwner(status)) return status;
  const { job_id, file_name, sample_of, request, queue, metrics, release, error } = status;
  return {
    job_id,
    status: status.status,
    ...(file_name !== undefined && { file_name }),
    ...(sample_of !== undefined && { sample_of }),
    ...(request && { request }),
    // The expected wait depends on file sizes.
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

/** Durations depend on the real rows. */
const untimedHttp = (entry: ProgressEntry): string => untimedText(entry, 'http');

const FAILURE_FOR_OWNER =
  'Why the job failed may tell of the real rows, so it is told to the owner of the file: GET /status without for=sharing has it.';
