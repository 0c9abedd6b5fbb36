/** The figures of a finished job in words. */
import type { JobMetrics } from '../client/contract.ts';
import { METRIC_MEANING } from '../domain/schema/metricMeaning.ts';

const figure = (value: number | string | null | undefined): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(4))) : (value ?? 'not to be had');

export function describeMetrics(metrics: JobMetrics): string {
  const holdout = new Map<string, number | null>(Object.entries(metrics.holdout ?? {}));
  const beside = (name: string) =>
    holdout.has(name) ? `; real rows that no model saw: ${figure(holdout.get(name))}` : '';
  return [
    `${metrics.rows_generated} rows of ${metrics.columns.length} columns, seed ${metrics.seed}.`,
    ...Object.entries(metrics.numeric).map(
      ([name, value]) => `- ${name}: ${figure(value)}${beside(name)} (${meaningOf(name)})`,
    ),
    ...metrics.notes.map((note) => `Note: ${note}`),
  ].join('\n');
}

const meaningOf = (name: string): string => new Map(Object.entries(METRIC_MEANING)).get(name) ?? '';
