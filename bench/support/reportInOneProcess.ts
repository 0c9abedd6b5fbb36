/** Makes the report of one made-up table, its libraries not yet used, and prints seconds and bytes: arguments rows, numbers, categories. */
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { measureAll } from '../../packages/synthesis/judge/measureAll.ts';
import { findAssociations } from '../../packages/synthesis/report/associationsReport.ts';
import {
  type DrawnColumn,
  makeReport,
  pairedColumns,
  type ReportTask,
} from '../../packages/synthesis/report/makeReport.ts';
import { renderReport } from '../../packages/synthesis/report/page/renderReport.ts';
import { AT, requestFor, SOFTWARE } from '../../test/support/jobFixtures.ts';
import { latentRoles, latentTable } from './latentTable.ts';

const SEED = 1;

const [rows = 5_000, numbers = 10, categories = 10] = process.argv.slice(2).map(Number);
const random = createStream(SEED, 'bench/reportSpeed');
const held = Math.round(rows / 10);
const shape = { rows, numbers, categories };
const of = (count: number, name: string) => latentTable({ ...shape, rows: count }, random.child(name));
const [real, train, holdout] = [of(rows, 'real'), of(rows - held, 'train'), of(held, 'holdout')];
const synthetic = of(rows, 'synthetic');

let last = performance.now();
const secondsSince = (): number => {
  const since = last;
  last = performance.now();
  return (last - since) / 1000;
};

const measures = await measureAll({
  train,
  holdout,
  synthetic,
  roles: latentRoles(shape),
  family: null,
  crossFit: null,
  random: random.child('measure'),
  onProgress: async () => {},
});
const metrics: JobMetrics = {
  ...measures,
  verdicts: null,
  regression: null,
  release: null,
  rows_generated: rows,
  columns: [...real.columns.keys()],
  seed: SEED,
  version: SOFTWARE.version,
};
const columns = [...real.columns.values()].map(
  ({ name, kind }): DrawnColumn => ({
    name,
    role: kind === 'category' ? 'categorical' : 'continuous',
    format: null,
  }),
);
const associations = findAssociations({ real, synthetic }, pairedColumns(columns, real), random.child('ties'));
const task: ReportTask = {
  jobId: 'a',
  fileName: 'table.csv',
  madeAt: AT,
  request: requestFor('a'),
  software: SOFTWARE,
  real,
  train,
  holdout,
  synthetic,
  metrics,
  random: random.child('report'),
  identity: null,
  notUsed: [],
  columns,
  associations,
  entity: null,
};
const measuring = secondsSince();
const report = makeReport(task);
const data = secondsSince();
const html = await renderReport(report, async () => {});
const page = secondsSince();
const [pageBytes, dataBytes] = [html, JSON.stringify(report)].map((text) => Buffer.byteLength(text));
console.log(JSON.stringify({ measuring, data, page, pageBytes, dataBytes }));
