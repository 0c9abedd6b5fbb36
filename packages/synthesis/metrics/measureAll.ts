/** All metrics of a synthetic table: the contract's figures, and those of fidelity, utility, privacy and text beside them. */
import type { MeasuredFigure } from '../../contract/measuredFigure.ts';
import type { FidelityMetrics, JobMetrics, NumericMetrics, PrivacyMetrics } from '../../contract/metrics.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable, OnProgress } from '../models/model.ts';
import { entitiesOf } from '../models/sequence/fitSequence.ts';
import { type MeasuredColumns, type MeasureRoles, measuredColumns } from './columns.ts';
import {
  closestRecordFigure,
  correlationFigure,
  duplicateFigure,
  type Figure,
  ksFigure,
  wassersteinFigure,
} from './compareTables.ts';
import { type EntityRows, startsOf } from './entities/entityRows.ts';
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

/** Rejects where a table lacks a column of the roles, or has it as another kind. */
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

/** All but fidelity and the utility of categories. */
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

/** Below, half of the rows says nothing of the other half. */
const MIN_HALVED_ROWS = 40;

/** Where no real row is fresh: the synthetic rows against half of the real ones, and the other half against it. */
function besideHalves({ train, synthetic, roles, random }: TableTask): Parts {
  const split = halves(train, random.child('halves'));
  return makeParts({ ...split, synthetic, folds: undefined, isSplit: true, roles, random: random.child('parts') });
}

const OF_ENTITIES =
  'Privacy is that of entities: attacks know all rows of one, as what is constant in it and summaries of what is not, and look for it among the others.';

interface OfEntities extends EntityFigures {
  /** The entity of each training row. */
  owners: Int32Array;
  parts: Parts;
  ranked: readonly PrivatePart[];
}

/** Figures of whole entities, and their summaries as the rows that attacks look at. */
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

/** Texts are looked at row by row: a run of characters is as telling in any row. What many rows of one entity have is still its own. */
async function withSequences(
  attacks: PrivacyMetrics,
  { sequence_copies, owners }: OfEntities,
  byRows: AttackTask,
): Promise<PrivacyMetrics> {
  const texts = await textMemorisation({ ...byRows, owners });
  // Rows of summaries are entities, whose numbers in the file nobody could look up.
  return { ...attacks, ...texts, copied_rows: [], sequence_copies };
}

/** Rows that whoever made the table saw, too, are no rows to judge an attack by. */
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

/** The parts of cross-fitting; undefined where there is a holdout, or there are too few rows. */
async function foldsOf({ train, holdout, synthetic, crossFit, roles, random, onProgress }: TableTask) {
  const width = roles.continuous.length + roles.categorical.length + (roles.target === null ? 0 : 1);
  if (holdout || !crossFit || train.rows < MIN_CROSS_FIT_ROWS || width === 0) return undefined;
  const rows = Math.min(TSTR_ROWS, synthetic.rows);
  return makeFolds({ train, count: FOLDS, rows, crossFit, random: random.child('TSTR'), onProgress });
}

/** The parts that attacks look at if models are fitted again for them, each time without one part of the rows; else undefined. */
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
  /** Columns that are constant within entities. */
  constants: ReadonlySet<string>;
}

// The eight keys of `metrics.numeric` of a synthetic table, and the same for real rows that no model saw.

export interface TableTask {
  /** Real rows that the models were fitted to. */
  train: ModelTable;
  /** Real rows kept from the models; null where there were too few. */
  holdout: ModelTable | null;
  synthetic: ModelTable;
  /** All real rows in the order of their file, in which copies are looked up; those of `train` if left out. */
  real?: ModelTable;
  roles: MeasureRoles;
  family: string | null;
  /** By what rows belong together; absent where each is by itself. */
  entities?: EntityTask;
  /** Fits the models to some of the rows and makes `rows` synthetic ones; null where it cannot be done. */
  crossFit: CrossFit | null;
  /** Fits the models without a part of the rows, for attacks by that part; left out if the held-out rows are to do. */
  attackFit?: CrossFit | null;
  /** The parts of cross-fitting, where they are made already. */
  folds?: readonly Fold[] | undefined;
  /** Whether `holdout` is a part of the rows that the synthetic table was made from. */
  isSplit?: boolean;
  random: RandomStream;
  onProgress: OnProgress;
  yieldToEventLoop?: MeasureTask['yieldToEventLoop'];
  /** Whether fidelity and utility are measured in a thread of their own; where that pays if not given. */
  inThread?: boolean;
}

/** The figures alone. */
export type RealFigures = Omit<NumericMetrics, 'family'>;

export interface Measures {
  numeric: NumericMetrics;
  /**
   * Holdout rows in place of the synthetic ones; for TSTR, trees trained on as many of the models' own rows as there are
   * synthetic ones and tested on the holdout.
   */
  holdout: RealFigures | null;
  sample_sizes: Record<string, number>;
  notes: string[];
}

/** All figures of a task. A figure that cannot be had is null, and `notes` says why. */
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
