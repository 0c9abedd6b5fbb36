/** What `synth` shows of a table and of a result. */
import type { JobMetrics, UploadReply } from '../client/contract.ts';
import { METRIC_MEANING } from '../domain/schema/metricMeaning.ts';
import { textTable } from './textTable.ts';

type Figures = Readonly<Record<string, number | string | null>>;

export function metricsTable(metrics: Pick<JobMetrics, 'numeric' | 'holdout'>): string {
  const holdout: Figures = metrics.holdout ?? {};
  const meaning: Readonly<Record<string, string>> = METRIC_MEANING;
  const rows = Object.entries(metrics.numeric).map(([name, value]) => [
    name,
    cell(value),
    name === 'family' ? '' : cell(holdout[name]),
    meaning[name] ?? '',
  ]);
  return textTable(['metric', 'synthetic', 'real rows kept apart', 'what it says'], rows);
}

const cell = (value: number | string | null | undefined): string =>
  typeof value === 'number' ? value.toPrecision(4) : (value ?? '–');

export function columnsTable(upload: UploadReply): string {
  const rows = upload.profile.columns.map(({ name, kind, suggested_role, missing, evidence }) => [
    name,
    kind,
    suggested_role,
    missing > 0 ? String(missing) : '',
    evidence[0] ?? '',
  ]);
  const lines = [
    textTable(['column', 'kind', 'suggested role', 'missing', 'why'], rows),
    ...upload.profile.relations.map(({ sentence }) => `relation: ${sentence}`),
    ...upload.warnings.map((warning) => `warning: ${warning}`),
  ];
  return lines.join('\n');
}
