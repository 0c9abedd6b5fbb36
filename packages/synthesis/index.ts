/**
 * Synthetic tables as a library: takes a table and a request, and returns synthetic rows, their metrics and a model.
 *
 * ```js
 * import { synthesize } from 'synthetic-tables';
 * const made = await synthesize('penguins.csv', { target_col: 'body_mass_g', categorical_cols: ['species'] }, { seed: 7 });
 * for await (const row of made.rows) console.log(row);
 * ```
 *
 * @packageDocumentation
 */
export { JobError, ServiceError } from '../contract/errors.ts';
export type { JobEvent } from '../contract/events.ts';
export type { JobMetrics } from '../contract/metrics.ts';
export type { ReportData, SharedReport } from '../contract/report.ts';
export type { TableRequestBody } from '../contract/requests.ts';
export type { RoleFields } from '../contract/roles.ts';
export type { Judgement, NextStep } from '../contract/verdicts.ts';
export { type CompareOptions, compare, type TableComparison } from './library/compare.ts';
export { inspect, type TableInspection } from './library/inspect.ts';
export { type CellValue, type Row, type TableSource, writeSource } from './library/source.ts';
export {
  restoreModel,
  type SyntheticModel,
  type SyntheticTable,
  synthesize,
} from './library/synthesize.ts';
export type { ReadOptions, SynthesizeOptions } from './library/work.ts';
export { type NamedReport, sideBySide } from './report/page/sideBySide.ts';
