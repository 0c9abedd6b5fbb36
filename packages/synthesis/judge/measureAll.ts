import type { MeasuredFigure } from '../../contract/measuredFigure.ts';
import type { FidelityMetrics, JobMetrics, NumericMetrics, PrivacyMetrics } from '../../contract/metrics.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable, OnProgress } from '../models/model.ts';
import { entitiesOf } from '../models/sequence/fitSequence.ts';
import { type EntityRows, startsOf } from '../table/entityRows.ts';
import { type MeasuredColumns, type MeasureRoles, measuredColumns } from './columns.ts';
import {
  closestRecordFigure,
  correlationFigure,
  duplicateFigure,
  type Figure,
  ksFigure,
  wassersteinFigure,
} from './compareTables.ts';
import { summarise, summaryRoles } from './entities/entitySummaries.ts';
import { type EntityFigures, measureEntities } from './entities/measureEntities.ts';
import { measureBeside } from './fidelityAndUtility.ts';
import { type AttackTask, type MeasureTask, runMeasures, type TargetPredictions } from './measure.ts';
import {
  type CrossFit,
  FOLDS,
  type Fold,
  halves,
  MIN_CROSS_FIT_ROWS,
  makeFolds,
  makeParts,
  type Parts,
  type PrivatePart,
  privateParts,
} from './parts.ts';
import { textMemorisation } from './privacy/textMemorisation.ts';
import { PRIVACY, TARGET_UTILITY } from './registry.ts';
import { measureText } from './text/measureText.ts';
import { measureRealUtility, measureUtility, TSTR_ROWS, type Utility } from './trainSyntheticTestReal.ts';

export interface AllMeasures extends Measures, Pick<JobMetrics, 'utility' | 'privacy' | 'text'> {
  measured_on: NonNullable<JobMetrics['measured_on']>;
  fidelity: FidelityMetrics;
}

/** The rows that figures are of come first. */
export const measureNotes = ({ measured_on, notes }: AllMeasures): string[] => [measured_on.summary, ...notes];

/** Rejects if a table lacks a column of the roles or has it as another kind. */
export async function measureAll(task: TableTask): Promise<AllMeasures> {
  const { train, holdout, random, isSplit = false } = task;
  const folds = await foldsOf(task);
  const parts = makeParts({ ...task, folds, isSplit, random: random.child('parts') });
  const alike = holdout || folds || train.rows < MIN_HALVED_ROWS ? parts : besideHalves(task);
  const figures = { measured: parts, alike, seed: random.child('figures').integer(2 ** 32) };
  const hooks = { onProgress: task.onProgress, yieldToEventLoop: task.yieldToEventLoop, inThread: task.inThread };
  const [own, besides] = await measureBeside(figures, hooks, (yieldToEventLoop) =>
    targetAndPrivacy({ ...task, folds, yieldToEventLoop }, parts),
  );
  const { measures, target, entities, privacy, text } = besides;
  const ofEntity = entities && { coherence: entities.coherence, sequence_lengths: entities.lengths };
  return {
    ...measures,
    notes: [...measures.notes, ...(entities ? [OF_ENTITIES] : []), ...leftOutNotes(parts)],
    measured_on: parts.measuredOn,
    fidelity: { ...own.fidelity, ...ofEntity },
    utility: { ...target, ...own.utility },
    privacy: isSplit ? withoutAttacks(privacy) : privacy,
    text,
  };
}

const leftOutNotes = ({ columns: { numeric, categorical }, leftOut }: Parts): string[] =>
  leftOut === 0
    ? []
    : [
        `Fidelity, utility and privacy look at ${numeric.length + categorical.length} columns; ${leftOut} more, chosen at random, are left out.`,
      ];

async function targetAndPrivacy(task: TableTask, parts: Parts) {
  const { random, onProgress, yieldToEventLoop } = task;
  const shared = { measured: parts, onProgress, yieldToEventLoop };
  const { predictions, ...measures } = await measureTable(task);
  const target = await runMeasures(TARGET_UTILITY, { ...shared, predictions, random: random.child('utility') });
  const entities = task.entities ? ofEntities(task, task.entities) : null;
  const folded = await attackPartsOf(task);
  const ranked = privateParts(folded ?? parts, random.child('privacy').child('rows'));
  const byRows = { ...shared, measured: folded ?? parts, ranked, random: random.child('privacy') };
  const attacked = entities ? { ...byRows, measured: entities.parts, ranked: entities.ranked } : byRows;
  const attacks = await runMeasures(PRIVACY, attacked);
  const privacy = entities ? await withSequences(attacks, entities, byRows) : attacks;
  const text = await measureText(parts, random.child('text'), onProgress);
  const notes = folded ? [...measures.notes, ATTACK_FOLDED] : measures.notes;
  return { measures: { ...measures, notes }, target, entities, privacy, text };
}

const MIN_HALVED_ROWS = 40;

/** Without fresh real rows, compares random halves of them. */
function besideHalves({ train, synthetic, roles, random }: TableTask): Parts {
  const split = halves(train, random.child('halves'));
  return makeParts({ ...split, synthetic, folds: undefined, isSplit: true, roles, random: random.child('parts') });
}

const OF_ENTITIES =
  'Privacy is that of entities: attacks know all rows of one, as what is constant in it and summaries of what is not, and look for it among the others.';

interface OfEntities extends EntityFigures {
  /** Entity of each training row. */
  owners: Int32Array;
  parts: Parts;
  ranked: readonly PrivatePart[];
}

function ofEntities(
  { train, holdout, synthetic, roles, random }: TableTask,
  { key, constants }: EntityTask,
): OfEntities {
  const rowsOf = (table: ModelTable): EntityRows => ({ table, starts: startsOf(table, key) });
  const sides = { train: rowsOf(train), holdout: holdout && rowsOf(holdout), synthetic: rowsOf(synthetic) };
  const { numeric, categorical } = measuredColumns(roles, train);
  const all = [...numeric, ...categorical];
  const stream = random.child('entities');
  const names = all.filter((name) => !constants.has(name));
  const figures = measureEntities(sides, { names, all, key, random: stream });
  const summary = (rows: EntityRows): ModelTable => summarise(rows, constants);
  const parts = makeParts({
    train: summary(sides.train),
    holdout: sides.holdout && summary(sides.holdout),
    synthetic: summary(sides.synthetic),
    folds: undefined,
    roles: summaryRoles(roles, constants, train),
    random: stream.child('parts'),
  });
  return {
    ...figures,
    owners: entitiesOf(sides.train.starts),
    parts,
    ranked: privateParts(parts, stream.child('rows')),
  };
}

/** Measures texts by row, since runs are equally telling anywhere. */
async function withSequences(
  attacks: PrivacyMetrics,
  { sequence_copies, owners }: OfEntities,
  byRows: AttackTask,
): Promise<PrivacyMetrics> {
  const texts = await textMemorisation({ ...byRows, owners });
  // Summary rows have no row numbers in the file.
  return { ...attacks, ...texts, copied_rows: [], sequence_copies };
}

/** Rows that the table was made from cannot judge attacks. */
function withoutAttacks(privacy: PrivacyMetrics): PrivacyMetrics {
  const unknown = ({ upper: _, ...figure }: MeasuredFigure): MeasuredFigure => ({
    ...figure,
    value: null,
    low: null,
    high: null,
    verdict: null,
    holdout: null,
    reason: 'it needs real rows that whoever made the table did not see',
  });
  return {
    ...privacy,
    dcr_share: unknown(privacy.dcr_share),
    dcr_share_worst: unknown(privacy.dcr_share_worst),
    membership_inference: unknown(privacy.membership_inference),
    singling_out: unknown(privacy.singling_out),
    attribute_inference: privacy.attribute_inference.map((of) => ({ ...of, advantage: unknown(of.advantage) })),
    look_ups: [],
    strange_rows: unknown(privacy.strange_rows),
    membership: privacy.membership.map((of) => ({
      ...of,
      auc: unknown(of.auc),
      true_positives_1: unknown(of.true_positives_1),
      true_positives_10: unknown(of.true_positives_10),
      highest: unknown(of.highest),
    })),
    singling_out_excess: unknown(privacy.singling_out_excess),
    linkability_excess: unknown(privacy.linkability_excess),
    attribute_excess: unknown(privacy.attribute_excess),
  };
}

/** Undefined with a holdout or too few rows. */
async function foldsOf({ train, holdout, synthetic, crossFit, roles, random, onProgress }: TableTask) {
  const width = roles.continuous.length + roles.categorical.length + (roles.target === null ? 0 : 1);
  if (holdout || !crossFit || train.rows < MIN_CROSS_FIT_ROWS || width === 0) return undefined;
  const rows = Math.min(TSTR_ROWS, synthetic.rows);
  return makeFolds({ train, count: FOLDS, rows, crossFit, random: random.child('TSTR'), onProgress });
}

/** Folds for attacks on refitted models, if requested. */
async function attackPartsOf(task: TableTask): Promise<Parts | undefined> {
  const { real, attackFit, entities, random, onProgress } = task;
  if (!real || !attackFit || entities) return undefined;
  const stream = random.child('attack folds');
  const rows = Math.min(TSTR_ROWS, task.synthetic.rows);
  const folds = await makeFolds({
    train: real,
    count: FOLDS,
    rows,
    crossFit: attackFit,
    random: stream,
    onProgress,
  });
  return makeParts({ ...task, folds, random: stream.child('parts') });
}

const ATTACK_FOLDED = `Attacks were cross-fitted: models were fitted ${FOLDS} more times, each time without one part of the rows, and attacked by that part.`;

interface EntityTask {
  key: string;
  constants: ReadonlySet<string>;
}

export interface TableTask {
  train: ModelTable;
  /** Null if there were too few rows. */
  holdout: ModelTable | null;
  synthetic: ModelTable;
  /** All real rows in file order. Defaults to `train`. */
  real?: ModelTable;
  roles: MeasureRoles;
  family: string | null;
  entities?: EntityTask;
  /** Fits models and draws `rows` rows; null if impossible. */
  crossFit: CrossFit | null;
  /** Refits models for attacks; omitted if the holdout suffices. */
  attackFit?: CrossFit | null;
  folds?: readonly Fold[] | undefined;
  /** True if the table was made from `holdout` too. */
  isSplit?: boolean;
  random: RandomStream;
  onProgress: OnProgress;
  yieldToEventLoop?: MeasureTask['yieldToEventLoop'];
  /** Defaults to the faster choice. */
  inThread?: boolean;
}

export type RealFigures = Omit<NumericMetrics, 'family'>;

export interface Measures {
  numeric: NumericMetrics;
  /** Held-out rows in place of synthetic ones; TSTR trains on the same number of training rows. */
  holdout: RealFigures | null;
  sample_sizes: Record<string, number>;
  notes: string[];
}

/** Null figures are explained in `notes`. */
export async function measureTable(task: TableTask): Promise<Measures & { predictions: TargetPredictions }> {
  const columns = measuredColumns(task.roles, task.train);
  const sizes: Record<string, number> = { train: task.train.rows, synthetic: task.synthetic.rows };
  const synthetic = await compare(task, task.synthetic, 'synthetic', columns, sizes);
  const utilityTask = { ...task, columns, target: task.roles.target, random: task.random.child('TSTR') };
  const utility = await measureUtility(utilityTask);
  sizes.tstr_train = utility.trained;
  sizes.tstr_test = utility.tested;
  if (utility.tested > 0) {
    await task.onProgress({ stage: 'measure', fact: 'target_tested', rows: utility.tested });
  }
  const found = gather(synthetic, utility);
  const numeric = { ...found.numbers, family: task.family };
  const own = utility.predictions;
  if (!task.holdout) {
    return { numeric, holdout: null, sample_sizes: sizes, notes: found.notes, predictions: { own, real: null } };
  }

  sizes.holdout = task.holdout.rows;
  const holdout = await compare(task, task.holdout, 'holdout', columns, sizes);
  const real = measureRealUtility({ ...utilityTask, holdout: task.holdout, random: task.random.child('TSTR real') });
  sizes.tstr_train_holdout = real.trained;
  const ceiling = gather(holdout, real);
  const notes = [...found.notes, ...ceiling.notes.map((note) => `Holdout: ${note}`)];
  const predictions = { own, real: real.predictions };
  return { numeric, holdout: ceiling.numbers, sample_sizes: sizes, notes, predictions };
}

type Comparison = Record<'ks' | 'wasserstein' | 'correlation' | 'closest' | 'duplicates', Figure>;

async function compare(
  task: TableTask,
  other: ModelTable,
  name: 'synthetic' | 'holdout',
  columns: MeasuredColumns,
  sizes: Record<string, number>,
): Promise<Comparison> {
  const { train, onProgress } = task;
  const ks = ksFigure(train, other, columns);
  const wasserstein = wassersteinFigure(train, other, columns);
  const correlation = correlationFigure(train, other, columns);
  await onProgress({
    stage: 'measure',
    fact: 'numbers_compared',
    side: name,
    columns: columns.numeric.length,
    rows: other.rows,
  });
  const closest = closestRecordFigure(train, other, columns, task.random.child(`DCR ${name}`));
  sizes[`dcr_${name}`] = closest.rows;
  const duplicates = duplicateFigure(train, other, columns);
  await onProgress({ stage: 'measure', fact: 'closest_found', side: name, rows: closest.rows });
  return { ks, wasserstein, correlation, closest, duplicates };
}

function gather(found: Comparison, utility: Utility): { numbers: RealFigures; notes: string[] } {
  const numbers = {
    'KS (Avg)': found.ks.value,
    'WD (Avg)': found.wasserstein.value,
    'Corr Diff (F-Norm)': found.correlation.value,
    'DCR (Avg)': found.closest.value,
    'Duplicate Rate (%)': found.duplicates.value,
    'TSTR R²': utility.r2.value,
    'TSTR RMSE': utility.rmse.value,
  };
  const figures = [found.ks, found.wasserstein, found.correlation, found.closest, found.duplicates];
  return { numbers, notes: [...figures, utility.r2, utility.rmse].flatMap((figure) => figure.notes) };
}
