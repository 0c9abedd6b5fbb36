/** What a job would take, in a few lines. */
import type { EstimateReply } from '../client/contract.ts';

const time = (seconds: number): string => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

/** One line, before a start. */
export const estimateLine = ({ seconds }: EstimateReply): string =>
  `about ${time(seconds.expected)} (${time(seconds.low)} to ${time(seconds.high)})`;

/** What `--estimate` prints. */
export function estimateText(estimate: EstimateReply): string {
  const { memory_mb, cost, stages, cheaper } = estimate;
  return [
    `${estimateLine(estimate)}, ${memory_mb} MB of memory`,
    ...(cost ? [`about $${cost.usd.toFixed(3)} (assumed: ${cost.assumes})`] : []),
    ...stages.map(({ stage, seconds, why }) => `  ${stage.padEnd(10)} ${time(seconds).padStart(8)}  ${why}`),
    ...(cheaper ? ['', ...planLines(cheaper)] : []),
  ].join('\n');
}

const planLines = ({ seconds, fields, gives_up }: NonNullable<EstimateReply['cheaper']>): string[] => [
  `cheaper: about ${time(seconds.expected)} with ${Object.entries(fields)
    .map(([field, value]) => `${OPTION_OF[field] ?? field} ${value}`)
    .join(' ')}`,
  ...gives_up.map((text) => `  ${text}`),
];

const OPTION_OF: Readonly<Record<string, string>> = {
  draws: '--draws',
  tune: '--tune',
  n_samples: '--rows',
  text_epochs: '--text-epochs',
};
