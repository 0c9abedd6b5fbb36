/**
 * Whether the attacks see what they are there for: tables with 1 to 5 % of the training rows copied in, exactly or with one
 * cell changed, beside tables of fresh real rows. Ends with exit code 1 if fewer than 38 of 40 are flagged, or more than 2 of 40.
 */
import type { MeasuredFigure } from '../packages/contract/measuredFigure.ts';
import type { PrivacyMetrics } from '../packages/contract/metrics.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { compareParts } from '../packages/synthesis/judge/fidelity/compareParts.ts';
import { runMeasures } from '../packages/synthesis/judge/measure.ts';
import { makeParts, privateParts, sampleRows } from '../packages/synthesis/judge/parts.ts';
import { PRIVACY } from '../packages/synthesis/judge/registry.ts';
import type { ModelColumn, ModelTable } from '../packages/synthesis/models/model.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import type { Bench } from './support/bench.ts';
import { gradeOfPrivacy } from './support/gradeOfPrivacy.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readSharedTable, type SharedTable, sharedData } from './support/sharedTables.ts';

const TABLES = ['adult', 'california_housing', 'diamonds', 'magic'];

/** Of each table: training, held-out and fresh ones. */
const ROWS = 3_000;
const TRIALS = 10;

const KINDS = ['copied', 'one cell changed', 'fresh'] as const;
type Kind = (typeof KINDS)[number];

/** Tables of each kind: of copies, as many are exact as have a cell changed. */
const TRIALS_OF: Readonly<Record<Kind, number>> = { copied: TRIALS / 2, 'one cell changed': TRIALS / 2, fresh: TRIALS };
const MIN_FLAGGED = 38;
const MAX_FALSE = 2;

const ATTACKS: Readonly<Record<string, (found: PrivacyMetrics) => readonly MeasuredFigure[]>> = {
  'unique copies': ({ unique_copies }) => [unique_copies],
  'but one cell': ({ copies_but_one }) => [copies_but_one],
  'near copies': ({ near_copies }) => [near_copies],
  'distance AUC': ({ membership_inference }) => [membership_inference],
  ...Object.fromEntries(
    (['distance', 'distance_ratio', 'density_ratio'] as const).map((score) => [
      `by ${score.replace('_', ' ')}`,
      ({ membership }: PrivacyMetrics) =>
        membership
          .filter((one) => one.score === score)
          .flatMap(({ auc, true_positives_1, true_positives_10 }) => [auc, true_positives_1, true_positives_10]),
    ]),
  ),
  'singling out': ({ singling_out, singling_out_excess }) => [singling_out, singling_out_excess],
  linkability: ({ linkability_excess }) => [linkability_excess],
  attributes: ({ attribute_inference, attribute_excess }) => [
    ...attribute_inference.map(({ advantage }) => advantage),
    attribute_excess,
  ],
  'DCR share': ({ dcr_share, dcr_share_worst }) => [dcr_share, dcr_share_worst],
};

export const bench: Bench = {
  title:
    'attacks on tables with 1 to 5 % of the training rows copied in, and on fresh rows: 38 of 40 and at most 2 of 40, else exit code 1',
  async run() {
    if (!sharedData) throw new Error('the shared tables are not here');
    console.log(loadLine());
    const rows: TableCell[][] = [];
    const flagged = { copies: 0, fresh: 0 };
    for (const name of TABLES) {
      const shared = readSharedTable(sharedData, name);
      for (const kind of KINDS) {
        const found: PrivacyMetrics[] = [];
        for (let trial = 0; trial < TRIALS_OF[kind]; trial++) found.push(await attack(shared, kind, trial));
        const poor = found.filter(isFlagged).length;
        flagged[kind === 'fresh' ? 'fresh' : 'copies'] += poor;
        const by = Object.values(ATTACKS).map((of) => found.filter((one) => of(one).some(isWorse)).length);
        rows.push([name, kind, found.length, poor, ...by]);
      }
    }
    printTable(['table', 'kind', 'tables', 'flagged', ...Object.keys(ATTACKS)], rows);
    const of = TABLES.length * TRIALS;
    console.log(
      `\nflagged: ${flagged.copies} of ${of} with copies, ${flagged.fresh} of ${of} of fresh rows; ${loadLine()}`,
    );
    if (flagged.copies < MIN_FLAGGED || flagged.fresh > MAX_FALSE) process.exitCode = 1;
  },
};

const isWorse = ({ verdict }: MeasuredFigure): boolean => verdict === 'worse';

const isFlagged = (privacy: PrivacyMetrics): boolean => gradeOfPrivacy(privacy) !== 'good';

/** All attacks on one table, by held-out rows. */
async function attack({ table, roles }: SharedTable, kind: Kind, trial: number): Promise<PrivacyMetrics> {
  const random = createStream(trial, `attack power ${kind}`);
  const order = shuffledRows(table.rows, random.child('order'));
  const part = (at: number) => takeRows(table, order.slice(at * ROWS, (at + 1) * ROWS));
  const [train, holdout, fresh] = [part(0), part(1), part(2)];
  const copied = kind === 'fresh' ? 0 : Math.round(((1 + (trial % 5)) / 100) * ROWS);
  const synthetic = withCopies(fresh, train, copied, kind === 'one cell changed', random.child('copies'));
  const measured = makeParts({ train, holdout, synthetic, folds: undefined, roles, random: random.child('parts') });
  const onProgress = async () => {};
  const compared = await compareParts(measured, random.child('compared'), onProgress);
  const ranked = privateParts(measured, random.child('ranked'));
  const predictions = { own: null, real: null };
  return runMeasures(PRIVACY, { measured, compared, ranked, predictions, random: random.child('privacy'), onProgress });
}

/** The first rows in the place of as many training rows; of each, one cell may be that of another training row. */
function withCopies(table: ModelTable, train: ModelTable, count: number, changes: boolean, random: RandomStream) {
  const taken = sampleRows(train.rows, count, random.child('taken'));
  const names = [...table.columns.values()].filter(({ kind }) => kind !== 'text').map(({ name }) => name);
  const changed = Array.from(taken, () => names[random.integer(names.length)]);
  const other = Array.from(taken, () => random.integer(train.rows));
  const rowOf = (name: string, at: number): number => (changes && changed[at] === name ? other[at]! : taken[at]!);
  const columns = [...table.columns].map(([name, column]): [string, ModelColumn] => {
    const from = train.columns.get(name);
    if (column.kind === 'numeric' && from?.kind === 'numeric') {
      const cell = (own: number, row: number): number => (row < count ? from.values[rowOf(name, row)]! : own);
      return [name, { ...column, values: column.values.map(cell) }];
    }
    if (column.kind !== 'category' || from?.kind !== 'category') return [name, column];
    // Both are parts of one table, and share its levels.
    const code = (own: number, row: number): number => (row < count ? from.codes[rowOf(name, row)]! : own);
    return [name, { ...column, codes: column.codes.map(code) }];
  });
  return { rows: table.rows, columns: new Map(columns) };
}
