import type { Family } from '../../contract/families.ts';
import type { CheaperPlan, Cost, Estimate } from '../../contract/replies.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { CHAINS } from '../../numerics/regression/samplingTask.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted, withCommas } from '../../words/wording.ts';
import { FOLDS } from '../judge/parts.ts';
import { ENOUGH_HELD_OUT } from '../judge/privacy/limits.ts';
import { LABEL_ROWS } from '../models/categorical/redrawnLabels.ts';
import { MAX_DENSITY_ROWS, MIN_CELLS } from '../models/copula/chooseDensity.ts';
import { MAX_TREE_ROWS } from '../models/copula/chooseSplits.ts';
import { MAX_GIVEN } from '../models/regression/targetDensity.ts';
import { isPrivate } from '../request/checkPrivacy.ts';
import { estimatePrivate } from './estimatePrivate.ts';
import { type Machine, REFERENCE_MACHINE } from './machine.ts';
import { sequencesCost } from './sequencesCost.ts';
import { type JobSize, sizeOf, type TargetSize, type TextSize } from './sizes.ts';
import { ALONE, costIn, type Place, rounded, type StageCost, spansOf, stagesOn, type Takes, takenBy } from './takes.ts';
import { targetCost } from './targetCost.ts';

/** Minimum savings per field and plan, as shares of the whole. */
const WORTH_A_FIELD = 0.08;
const WORTH_A_PLAN = 0.2;

/** Lower limits: enough draws for convergence checks and rows for metrics. */
const ENOUGH = { draws: 400, tune: 500, n_samples: 1000, text_epochs: 1 } as const;

/** Reads only the profile's sample. `request` has passed `checkRequest`. */
export function estimateJob(
  profile: Profile,
  request: TableRequest,
  { prices = null, machine = REFERENCE_MACHINE }: Place = {},
): Estimate {
  if (isPrivate(request)) return estimatePrivate(profile, request, machine);
  const size = sizeOf(profile, request);
  const takes = (own: JobSize): Takes => takenBy(stagesOf(own), machine);
  const costOf = (seconds: number) => costIn(prices, seconds, request.text_cols.length > 0);
  const whole = takes(size);
  return {
    ...spansOf(whole),
    memory_mb: memoryOf(size),
    cost: costOf(whole.seconds),
    stages: stagesOn(stagesOf(size), machine),
    cheaper: cheaperPlan(size, takes, costOf),
  };
}

interface Saving {
  fields: CheaperPlan['fields'];
  size: Partial<JobSize>;
  loses: string;
}

function cheaperPlan(
  size: JobSize,
  takes: (size: JobSize) => Takes,
  costOf: (seconds: number) => Cost,
): CheaperPlan | null {
  const whole = takes(size);
  let [least, now] = [whole, size];
  const fields: CheaperPlan['fields'] = {};
  const tradeoffs: string[] = [];
  for (const saving of savingsOf(size)) {
    const next = { ...now, ...saving.size };
    const taken = takes(next);
    if (least.seconds - taken.seconds < WORTH_A_FIELD * whole.seconds) continue;
    [least, now] = [taken, next];
    Object.assign(fields, saving.fields);
    tradeoffs.push(saving.loses);
  }
  if (whole.seconds - least.seconds < WORTH_A_PLAN * whole.seconds) return null;
  return { ...spansOf(least), cost: costOf(least.seconds), fields, tradeoffs };
}

function savingsOf({ draws, tune, made, epochs }: JobSize): Saving[] {
  const savings: Saving[] = [];
  if (draws > ENOUGH.draws || tune > ENOUGH.tune) {
    const fewer = { draws: Math.min(draws, ENOUGH.draws), tune: Math.min(tune, ENOUGH.tune) };
    const loses = `${counted(fewer.draws, 'draw')} per chain instead of ${withCommas(draws)}: wider intervals for the target's coefficients`;
    savings.push({ fields: fewer, size: fewer, loses });
  }
  if (epochs > ENOUGH.text_epochs) {
    const text_epochs = Math.max(ENOUGH.text_epochs, Math.floor(epochs / 3));
    const loses = `${counted(text_epochs, 'text epoch')} instead of ${epochs}: less fluent texts`;
    savings.push({ fields: { text_epochs }, size: { epochs: text_epochs }, loses });
  }
  if (made > ENOUGH.n_samples) {
    const loses = `${counted(ENOUGH.n_samples, 'row')} instead of ${withCommas(made)}`;
    savings.push({ fields: { n_samples: ENOUGH.n_samples }, size: { made: ENOUGH.n_samples }, loses });
  }
  return savings;
}

/** CPU seconds, measured on the shared tables (docs/measurements). */
const COST = {
  start: 0.8,
  cell: 4e-7,
  /** Per categorical column and row. */
  category: 0.01,
  categoryCell: 6e-6,
  /** Per row of a redrawn category. */
  labelRow: 1.5e-5,
  labelMade: 1e-5,
  /** Per numeric pair, its rows, and number. */
  numberPair: 0.012,
  numberPairRow: 3.3e-6,
  number: 2e-6,
  /** Per row of a column with a density. */
  densityRow: 1e-4,
  densityMade: 3.3e-5,
  /** Per row of a target with a density. */
  targetDensityRow: 1e-4,
  /** Training operations per CPU second; CPU seconds per token. */
  textOperations: 2.85e10,
  writtenToken: 7.2e-4,
  textCharacter: 2e-6,
  /** Per compared cell. */
  metrics: 0.5,
  comparedCell: 3.3e-5,
  comparedCharacter: 8e-6,
  /** Per real cell searched. */
  searchedCell: 1.8e-5,
  write: 1,
  writtenCell: 1.5e-6,
} as const;

/** Maximum useful threads; CPU seconds worth sharing. */
const VINE_THREADS = 8;
const BOOSTING_THREADS = 8;
const WORTH_THREADS = 2;
const TEXT_THREADS = 16;
const COMPARED_ROWS = 5000;
/** Relative cost of a refit, whose code is warm. */
const AGAIN = 0.6;

/** Compact network: weights by tokens, and limit on training work. */
const WIDE_FROM_TOKENS = 60_000;
const WEIGHTS = { wide: 1_800_000, narrow: 650_000 } as const;
const OPERATIONS_A_WEIGHT = 6;
const MAX_OPERATIONS = 4e13;
/** Shorter columns use a Markov chain. */
const MIN_CHARACTERS = 3000;

function stagesOf(size: JobSize): StageCost[] {
  const columns = size.categories + size.numbers + (size.target ? 1 : 0) + (size.text ? 1 : 0);
  const table = `${counted(size.rows, 'row')} and ${counted(columns, 'column')}`;
  const start = { ...ALONE, stage: 'start' as const, cpu: COST.start + COST.cell * size.rows * columns, why: table };
  const models = modelsOf(size);
  const texts = textStages(size);
  const measured = metricsOf(size, models);
  const written = COST.write + COST.writtenCell * size.made * columns;
  return [
    start,
    ...models,
    ...texts,
    crossFitsAttacks(size) ? withAttackFolds(measured, models) : measured,
    { ...ALONE, stage: 'write', cpu: written, why: `${counted(size.made, 'row')}, and the report` },
  ];
}

function modelsOf(size: JobSize): StageCost[] {
  const target = size.target ? [targetOf(size.target, size)] : [];
  if (size.isOfEntities) return [{ stage: 'sequences', ...sequencesCost(size) }, ...target];
  return [...categoryStages(size), ...numberStages(size), ...target];
}

const inThreads = (cpu: number): number => (cpu > WORTH_THREADS ? cpu : 0);

function categoryStages({ categories, training, made }: JobSize): StageCost[] {
  if (categories === 0) return [];
  const again = training < LABEL_ROWS.least ? 0 : COST.labelRow * Math.min(training, LABEL_ROWS.most);
  const boosted = categories * again;
  const drawn = again > 0 ? COST.labelMade * made : 0;
  const cpu = boosted + categories * (COST.category + COST.categoryCell * (training + made) + drawn);
  const why = `${counted(categories, 'column')}, each given those before it`;
  return [{ stage: 'categories', cpu, shared: inThreads(boosted), threads: BOOSTING_THREADS, why }];
}

function targetOf(target: TargetSize, size: JobSize): StageCost {
  const own = targetCost(target, size);
  const isTried = target.regressions === 1 && size.categories + size.numbers <= MAX_GIVEN && size.training >= MIN_CELLS;
  const density = isTried ? COST.targetDensityRow * Math.min(size.training, MAX_DENSITY_ROWS) : 0;
  return { stage: 'target', ...own, cpu: own.cpu + density };
}

function numberStages({ numbers, training, made }: JobSize): StageCost[] {
  if (numbers === 0) return [];
  const pairs = (numbers * (numbers - 1)) / 2;
  const density = training < MIN_CELLS ? 0 : COST.densityRow * Math.min(training, MAX_TREE_ROWS);
  const vine = pairs * (COST.numberPair + COST.numberPairRow * training);
  const boosted = numbers * density;
  const drawn = density > 0 ? COST.densityMade * made : 0;
  const cpu = vine + boosted + numbers * (COST.number * (training + made) + drawn);
  const why = `${counted(pairs, 'pair')} of ${counted(numbers, 'column')}`;
  const shared = vine + inThreads(boosted);
  return [{ stage: 'numbers', cpu, shared, threads: VINE_THREADS, why }];
}

function textStages({ text, epochs, made }: JobSize): StageCost[] {
  if (!text) return [];
  const { tokens, tokensARow, characters } = text;
  const markov = COST.textCharacter * characters;
  if (characters < MIN_CHARACTERS)
    return [{ ...ALONE, stage: 'text', cpu: markov, why: 'little text, so a Markov chain is used' }];
  const shared = trainingSeconds(text, epochs) + COST.writtenToken * made * tokensARow;
  const why = `${counted(epochs, 'epoch')} of about ${withCommas(Math.round(tokens))} tokens, and ${counted(made, 'row')} to generate; depends on the base model and the GPU`;
  return [{ stage: 'text', cpu: shared + markov, shared, threads: TEXT_THREADS, why }];
}

function trainingSeconds({ tokens }: TextSize, epochs: number): number {
  const operations = OPERATIONS_A_WEIGHT * weightsOf(tokens) * tokens * epochs;
  return Math.min(MAX_OPERATIONS, operations) / COST.textOperations;
}

const weightsOf = (tokens: number): number => (tokens > WIDE_FROM_TOKENS ? WEIGHTS.wide : WEIGHTS.narrow);

/** Fidelity runs beside the attacks. */
const MEASURED_APART = 0.8;
const MEASURE_THREADS = 2;

function metricsOf(size: JobSize, models: readonly StageCost[]): StageCost {
  const compared = Math.min(COMPARED_ROWS, size.made) + Math.min(COMPARED_ROWS, size.training);
  const columns = size.categories + size.numbers + 1;
  const texts = (compared * (size.text?.characters ?? 0)) / Math.max(1, size.training);
  const cells = columns * (COST.comparedCell * compared + COST.searchedCell * size.training);
  const own = COST.metrics + cells + COST.comparedCharacter * texts;
  const apart = MEASURED_APART * inThreads(own);
  const why = `${counted(compared, 'row')} compared`;
  const measured = { stage: 'metrics', cpu: own, shared: apart, threads: MEASURE_THREADS, why } as const;
  if (!size.isCrossFitted) return measured;
  const again = (of: 'cpu' | 'shared') => FOLDS * AGAIN * models.reduce((sum, model) => sum + model[of], 0);
  const refitted = `models fitted ${FOLDS} more times (cross-fitting), since there are too few rows to hold some out`;
  return { stage: 'metrics', cpu: own + again('cpu'), shared: again('shared'), threads: CHAINS, why: refitted };
}

/** By default, cross-fits attacks that cost less than this share of the job. */
const ATTACK_SHARE = 1 / 3;

/** Each refit leaves out one fold. */
const refitting = (models: readonly StageCost[], of: 'cpu' | 'shared'): number =>
  (FOLDS - 1) * AGAIN * models.reduce((sum, model) => sum + model[of], 0);

function crossFitsAttacks(size: JobSize): boolean {
  if (size.isCrossFitted || size.isOfEntities) return false;
  if (size.crossFit !== null) return size.crossFit;
  if (size.rows - size.training >= ENOUGH_HELD_OUT) return false;
  const models = modelsOf(size);
  const rest = [...models, ...textStages(size), metricsOf(size, models)].reduce((sum, { cpu }) => sum + cpu, 0);
  return refitting(models, 'cpu') < ATTACK_SHARE * (COST.start + COST.write + rest);
}

const withAttackFolds = (measured: StageCost, models: readonly StageCost[]): StageCost => ({
  ...measured,
  cpu: measured.cpu + refitting(models, 'cpu'),
  shared: measured.shared + refitting(models, 'shared'),
  why: `${measured.why}; models fitted ${FOLDS} more times, to be attacked by the rows that they did not see`,
});

export const affordsAttackFolds = (profile: Profile, request: TableRequest): boolean =>
  !isPrivate(request) && crossFitsAttacks(sizeOf(profile, request));

/**
 * Estimates peak memory (MB) and time (s) before a start, without reading values. For `family: auto`, assumes the
 * widest design for memory and a family that reads all rows for time.
 */
export function roughEstimate(
  profile: Profile,
  request: TableRequest,
  machine: Machine,
): { memoryMb: number; seconds: number } {
  const sizeAs = (family: Family): JobSize =>
    sizeOf(profile, request.family === 'auto' ? { ...request, family } : request);
  return {
    memoryMb: memoryOf(sizeAs('gaussian')),
    seconds: rounded(takenBy(stagesOf(sizeAs('gamma')), machine).seconds),
  };
}

/** In MB. */
function memoryOf(size: JobSize): number {
  const cells = (size.rows + size.made) * (size.categories + size.numbers + 1);
  const draws = size.target ? CHAINS * size.draws * size.target.columns : 0;
  const design = size.target ? size.target.rows * size.target.columns : 0;
  const weights = size.text && size.text.characters >= MIN_CHARACTERS ? weightsOf(size.text.tokens) : 0;
  const characters = size.text ? size.text.characters : 0;
  const network = weights > 0 ? 450e6 + 24 * weights : 0;
  return Math.ceil((250e6 + 80 * cells + 24 * draws + 4 * design + network + 8 * characters) / 1e6);
}
