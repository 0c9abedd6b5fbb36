/** The metrics know a copy from a model: rows handed back, a tenth swapped, independent columns, and fresh real rows. */
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { readSharedTable } from '../../../bench/support/sharedTables.ts';
import type { MeasuredFigure } from '../../../packages/contract/measuredFigure.ts';
import type { FidelityMetrics, PrivacyMetrics } from '../../../packages/contract/metrics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { MeasureRoles } from '../../../packages/synthesis/judge/columns.ts';
import { runMeasures } from '../../../packages/synthesis/judge/measure.ts';
import { dealFolds, independentColumns, makeParts, swappedTenth } from '../../../packages/synthesis/judge/parts.ts';
import { FIDELITY, PRIVACY } from '../../../packages/synthesis/judge/registry.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { takeRows } from '../../../packages/synthesis/table/takeRows.ts';
import { readFilms } from '../../../scripts/demo/realTable.ts';
import { describeShared } from '../../support/shared.ts';
import { levels, measureTask, numbers, tableOf } from './tables.ts';

const random = createStream(21, 'knows copies');

/** Rows of each part, at most: three parts are real, so that all have as many rows. */
const PART = 450;

type Kind = 'copy' | 'swapped' | 'independent' | 'fresh';
type Found = Record<Kind, { fidelity: FidelityMetrics; privacy: PrivacyMetrics }>;

async function measureKinds(table: ModelTable, roles: MeasureRoles): Promise<Found> {
  const [train, holdout, fresh] = dealFolds(table.rows, 3, random.child('thirds')).map((rows) =>
    takeRows(table, rows.slice(0, Math.min(PART, Math.floor(table.rows / 3)))),
  ) as [ModelTable, ModelTable, ModelTable];
  const kinds: Record<Kind, ModelTable> = {
    copy: train,
    swapped: swappedTenth(train, train.rows, random.child('swapped')),
    independent: independentColumns(train, train.rows, random.child('independent')),
    fresh,
  };
  const out: [string, Found[Kind]][] = [];
  for (const [kind, synthetic] of Object.entries(kinds)) {
    const stream = random.child(kind);
    const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles, random: stream });
    const task = await measureTask(parts, stream);
    out.push([kind, { fidelity: await runMeasures(FIDELITY, task), privacy: await runMeasures(PRIVACY, task) }]);
  }
  return Object.fromEntries(out) as Found;
}

const ACCURACIES = ['one_way', 'two_way', 'three_way'] as const;
const MARGINS = ['ks', 'wasserstein', 'total_variation', 'missingness'] as const;
const DEPENDENCE = ['pearson', 'spearman', 'correlation_ratio', 'cramers_v'] as const;
const LEAKS = [
  'exact_copies',
  'unique_copies',
  'copies_but_one',
  'near_copies',
  'dcr_share',
  'dcr_share_worst',
  'membership_inference',
  'singling_out',
  'singling_out_excess',
  'linkability_excess',
  'attribute_excess',
] as const;

/** What a figure of each kind is; where the table has not the columns for it, there is nothing to rank. */
function valuesOf(of: (kind: Kind) => MeasuredFigure): Record<Kind, number> | undefined {
  const kinds: Kind[] = ['copy', 'swapped', 'independent', 'fresh'];
  if (kinds.every((kind) => of(kind).value === null)) return undefined;
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind).value ?? Number.NaN])) as Record<Kind, number>;
}

function expectFidelityRanked(found: Found): void {
  const of = (name: (typeof ACCURACIES | typeof MARGINS | typeof DEPENDENCE)[number]) =>
    valuesOf((kind) => found[kind].fidelity[name]);
  // Beside rows that nobody saw, a copy of the training rows is one more real sample: other figures tell what it is.
  for (const name of ACCURACIES) {
    expect(of(name)!.copy, name).toBeLessThan(1);
    expect(of(name)!.copy, name).toBe(found.copy.fidelity[name].holdout);
    expect(found.copy.fidelity[name].verdict, name).toBe('as good');
  }
  for (const name of ['two_way', 'three_way'] as const) {
    const figure = of(name)!;
    expect(figure.independent, name).toBeLessThan(Math.min(figure.fresh, figure.swapped, figure.copy));
    expect(found.independent.fidelity[name].verdict, name).toBe('worse');
  }
  for (const name of MARGINS) {
    const figure = of(name);
    if (!figure) continue;
    // Cells that only change places leave the margins as they are.
    expect(figure.swapped, name).toBeCloseTo(figure.copy, 12);
    expect(found.independent.fidelity[name].verdict, name).not.toBe('worse');
  }
  for (const name of DEPENDENCE) {
    const figure = of(name);
    if (!figure) continue;
    expect(figure.fresh, name).toBeLessThan(figure.independent);
    expect(figure.swapped, name).toBeLessThan(figure.independent);
    expect(found.independent.fidelity[name].verdict, name).not.toBe('suspiciously better');
  }
  const told = valuesOf((kind) => found[kind].fidelity.discriminator)!;
  expect(told.independent).toBeGreaterThan(Math.max(told.fresh, told.swapped));
  // Of few rows there is no verdict.
  expect(['as good', null]).toContain(found.copy.fidelity.discriminator.verdict);
  const seen = valuesOf((kind) => found[kind].fidelity.discriminator_training)!;
  expect(seen.copy).toBeLessThan(0.35);
  expect(seen.copy).toBeLessThan(Math.min(seen.swapped, seen.fresh));
  expect(found.copy.fidelity.discriminator_training.verdict).toBe('suspiciously better');
  expect(found.fresh.fidelity.discriminator_training.verdict).toBe('as good');
  expect(found.independent.fidelity.discriminator.verdict).toBe('worse');
}

function expectPrivacyRanked(found: Found): void {
  for (const name of LEAKS) {
    const figure = valuesOf((kind) => found[kind].privacy[name])!;
    expect(figure.copy, name).toBeGreaterThanOrEqual(figure.swapped);
    expect(figure.swapped, name).toBeGreaterThan(Math.max(figure.fresh, figure.independent));
    expect(found.copy.privacy[name].verdict, name).toBe('worse');
    expect(found.swapped.privacy[name].verdict, name).toBe('worse');
  }
  const ratio = valuesOf((kind) => found[kind].privacy.neighbour_ratio)!;
  expect(ratio.copy).toBeLessThan(ratio.swapped);
  expect(ratio.swapped).toBeLessThan(Math.min(ratio.fresh, ratio.independent));
  expect(found.copy.privacy.neighbour_ratio.verdict).toBe('worse');
  for (const [at, { column }] of found.copy.privacy.attribute_inference.entries()) {
    const figure = valuesOf((kind) => found[kind].privacy.attribute_inference[at]!.advantage)!;
    expect(figure.copy, column).toBeGreaterThan(figure.fresh);
    expect(figure.swapped, column).toBeGreaterThan(figure.independent);
    expect(found.copy.privacy.attribute_inference[at]!.advantage.verdict, column).toBe('worse');
  }
}

/** Verdicts are at 99 %: of the two dozen that a fresh real sample gets, two may be wrong by chance. */
function expectFreshAsGood({ fresh }: Found): void {
  const { fidelity, privacy } = fresh;
  const figures = [
    ...[...ACCURACIES, ...MARGINS, ...DEPENDENCE, 'discriminator' as const].map((name) => fidelity[name]),
    ...[...LEAKS, 'neighbour_ratio' as const].map((name) => privacy[name]),
    ...privacy.attribute_inference.map(({ advantage }) => advantage),
  ];
  const verdicts = figures.flatMap(({ verdict }) => verdict ?? []);
  expect(verdicts.length).toBeGreaterThan(15);
  expect(verdicts.filter((verdict) => verdict !== 'as good').length).toBeLessThanOrEqual(2);
}

/** The films that the demo is made from. */
function filmsTable(): { table: ModelTable; roles: MeasureRoles } {
  const rows = Papa.parse<Record<string, string>>(readFilms(), { header: true, skipEmptyLines: true }).data;
  const number = (name: string) => numbers(name, ...rows.map((row) => (row[name] ? Number(row[name]) : Number.NaN)));
  const level = (name: string) => levels(name, ...rows.map((row) => row[name] || null));
  const continuous = ['US Gross', 'Production Budget', 'Running Time min', 'Rotten Tomatoes Rating'];
  const categorical = ['MPAA Rating', 'Major Genre', 'Source'];
  const table = tableOf(number('IMDB Rating'), ...continuous.map(number), ...categorical.map(level));
  return { table, roles: { target: 'IMDB Rating', continuous, categorical, text: [] } };
}

describe('a copy, a swap, independent columns and fresh real rows', () => {
  it('are ranked rightly by every figure of fidelity and privacy, on films', async () => {
    const { table, roles } = filmsTable();
    const found = await measureKinds(table, roles);
    expectFidelityRanked(found);
    expectPrivacyRanked(found);
    expectFreshAsGood(found);
  });
});

describeShared('a copy, a swap, independent columns and fresh real rows', (dir) => {
  it.each(['penguins', 'california_housing', 'adult', 'k401k'])(
    'are ranked rightly by every figure of fidelity and privacy, on %s',
    async (name) => {
      const { table, roles } = readSharedTable(join(dir, 'data'), name);
      const found = await measureKinds(table, roles);
      expectFidelityRanked(found);
      expectPrivacyRanked(found);
      expectFreshAsGood(found);
    },
  );
});
