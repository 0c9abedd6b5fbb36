/** What a job would take: seconds, memory, and a plan that takes less. */
import type { CheaperPlan, Cost, Estimate, Span, Stage } from '../../contract/replies.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted, withCommas } from '../../words/wording.ts';
import {
  hasAtom,
  isBySums,
  type JobSize,
  type MachinePrices,
  priceOf,
  sizeOf,
  type TargetSize,
  type TextSize,
} from './sizes.ts';

/** Most jobs take between these times the expected seconds. */
const LOW = 0.5;
const HIGH = 2;

/** A field is worth changing where that saves this share of the whole, and a plan where it saves that much in all. */
const WORTH_A_FIELD = 0.08;
const WORTH_A_PLAN = 0.2;

/** What a cheaper plan does not go below: enough draws to see whether chains agree, enough rows for metrics. */
const ENOUGH = { draws: 400, tune: 500, n_samples: 1000, text_epochs: 1 } as const;

/** From the profile alone: no cell but those of its sample is read. `request` has passed `checkRequest`. */
export function estimateJob(profile: Profile, request: TableRequest, prices: MachinePrices | null = null): Estimate {
  const size = sizeOf(profile, request);
  const stages = stagesOf(size);
  const costOf = (seconds: number) => costIn(prices, seconds, request.text_cols.length > 0);
  return {
    seconds: spanOf(sum(stages)),
    memory_mb: memoryOf(size),
    cost: costOf(sum(stages)),
    stages: stages.map((own) => ({ ...own, seconds: rounded(own.seconds) })),
    cheaper: cheaperPlan(size, costOf),
  };
}

interface Saving {
  fields: CheaperPlan['fields'];
  size: Partial<JobSize>;
  loses: string;
}

/** Each field is taken down where that alone saves enough; fewer draws may cost more, where they bring chains back. */
function cheaperPlan(size: JobSize, costOf: (seconds: number) => Cost): CheaperPlan | null {
  const whole = sum(stagesOf(size));
  let [least, now] = [whole, size];
  const fields: CheaperPlan['fields'] = {};
  const tradeoffs: string[] = [];
  for (const saving of savingsOf(size)) {
    const next = { ...now, ...saving.size };
    const seconds = sum(stagesOf(next));
    if (least - seconds < WORTH_A_FIELD * whole) continue;
    [least, now] = [seconds, next];
    Object.assign(fields, saving.fields);
    tradeoffs.push(saving.loses);
  }
  if (whole - least < WORTH_A_PLAN * whole) return null;
  return { seconds: spanOf(least), cost: costOf(least), fields, tradeoffs };
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

/** To a hundredth of a cent. */
const costIn = (prices: MachinePrices | null, seconds: number, hasText: boolean): Cost =>
  prices && { usd: Math.round(10_000 * priceOf(prices, seconds, hasText)) / 10_000, assumes: prices.assumes };

const sum = (stages: readonly StageCost[]): number => stages.reduce((total, { seconds }) => total + seconds, 0);

const spanOf = (expected: number): Span => ({
  expected: rounded(expected),
  low: rounded(LOW * expected),
  high: rounded(HIGH * expected),
});

/** Tenths of a second below ten, whole ones above. */
const rounded = (value: number): number => (value < 10 ? Math.ceil(10 * value) / 10 : Math.round(value));

// Seconds and memory of a job's stages on two processor cores, from its size: counts times measured constants.

interface StageCost {
  stage: Stage;
  /** On two cores with nothing else to do. */
  seconds: number;
  why: string;
}

const CORES = 2;

/**
 * Seconds of one core unless said otherwise, measured on the shared tables (docs/decisions has the table). They are of one
 * machine: another may be faster or slower throughout.
 */
const COST = {
  /** A process, its code, the file. */
  start: 0.5,
  cell: 4e-7,
  /** A category given another, a row: fitted, and generated. */
  categoryPair: 4e-7,
  /** A pair of numeric columns, its rows bounded; a number fitted and generated. */
  numberPair: 0.015,
  number: 3e-6,
  /** A regression whatever its size; an entry of its design as it is searched for, in `designRows` at most. */
  regression: 0.45,
  designEntry: 2e-6,
  /** A multiplication and addition of a gradient; a row's density in it, and such of a family with a beta part, or of dispersed counts with zeros of their own. */
  flop: 1 / 3.5e9,
  row: 1e-7,
  betaRow: 3e-7,
  zeroCountRow: 4e-7,
  /** A target made, by the columns of its design. */
  madeEntry: 1e-8,
  /** Operations a second of the network's training, on both cores; seconds to write a token. */
  textOperations: 6e10,
  writtenToken: 2.2e-4,
  textCharacter: 2e-6,
  /** A cell that is compared, in tables cut to `comparedRows`. */
  metrics: 0.6,
  comparedCell: 3.5e-5,
  /** A real cell that rows are looked for among. */
  searchedCell: 1e-5,
  /** The report. */
  write: 0.8,
  writtenCell: 1.5e-6,
} as const;

const CHAINS = 4;
const GRADIENTS = 3.5;
/** Counted work from which on weighted draws take the place of chains: a mode, and 400 proposals or 3 s of them. */
const CHAINS_AT_MOST = 1.2e11;
const WEIGHTED_GRADIENTS = 550;
const WEIGHTED = 3;
/** Rows from which a design is training, at most. */
const DESIGN_ROWS = 8_000;
/** Rows that the metrics look at, at most. */
const COMPARED_ROWS = 5000;
const FOLDS = 5;

/** The compact network: weights by how much text there is, and the work that its training may take at most. */
const WIDE_FROM_TOKENS = 60_000;
const WEIGHTS = { wide: 1_800_000, narrow: 650_000 } as const;
const OPERATIONS_A_WEIGHT = 6;
const MAX_OPERATIONS = 4e13;
/** Below, a column is left to a Markov chain. */
const MIN_CHARACTERS = 3000;

/** The stages that the job has, in its order. */
function stagesOf(size: JobSize): StageCost[] {
  const columns = size.categories + size.numbers + (size.target ? 1 : 0) + (size.text ? 1 : 0);
  const table = `${counted(size.rows, 'row')} and ${counted(columns, 'column')}`;
  const start = { stage: 'start' as const, seconds: COST.start + COST.cell * size.rows * columns, why: table };
  const models = [...categoriesOf(size), ...numbersOf(size), ...targetOf(size)];
  const written = COST.write + COST.writtenCell * size.made * columns;
  return [
    start,
    ...models,
    ...textOf(size),
    metricsOf(size, models),
    { stage: 'write', seconds: written, why: `${counted(size.made, 'row')}, and the report` },
  ];
}

function categoriesOf({ categories, training, made }: JobSize): StageCost[] {
  if (categories === 0) return [];
  const seconds = COST.categoryPair * categories * categories * (training + made);
  return [{ stage: 'categories', seconds, why: `${counted(categories, 'column')}, each given those before it` }];
}

function numbersOf({ numbers, training, made }: JobSize): StageCost[] {
  if (numbers === 0) return [];
  const pairs = (numbers * (numbers - 1)) / 2;
  const seconds = (COST.numberPair * pairs) / CORES + COST.number * numbers * (training + made);
  return [{ stage: 'numbers', seconds, why: `${counted(pairs, 'pair')} of ${counted(numbers, 'column')}` }];
}

function targetOf({ target, draws, tune, made }: JobSize): StageCost[] {
  if (!target) return [];
  const gradients = CHAINS * (draws + tune) * GRADIENTS;
  // A family with atoms is drawn part by part, each in the way that suits it.
  const parts = hasAtom(target.family) ? 2 : 1;
  const isWeighted = (gradients * countedFlops(target)) / parts > CHAINS_AT_MOST;
  const gradient = gradientSeconds(target);
  const sampling = isWeighted ? WEIGHTED_GRADIENTS * gradient + WEIGHTED : (gradients * gradient) / CORES;
  const planning = COST.designEntry * effortOf(target) * Math.min(target.entries, DESIGN_ROWS * target.columns);
  const seconds = COST.regression + planning + sampling + COST.madeEntry * made * target.columns;
  const how = isWeighted
    ? 'too large for chains, so importance sampling is used'
    : `${CHAINS} chains of ${withCommas(draws + tune)} steps`;
  const what = `${target.family} regression of about ${counted(target.columns, 'column')} on ${counted(target.rows, 'row')}`;
  return [{ stage: 'target', seconds, why: `${what}, ${how}` }];
}

/** Multiplications and additions of a gradient, as the job counts them to choose between chains and weighted draws. */
const countedFlops = (target: TargetSize): number =>
  matrixFlops(target) + (isBySums(target.family) ? 0 : 60 * target.rows);

const matrixFlops = ({ family, columns, entries }: TargetSize): number =>
  2 * columns * columns + (isBySums(family) ? 2 * columns * columns : 4 * entries);

function gradientSeconds(target: TargetSize): number {
  const { family, rows } = target;
  return COST.flop * matrixFlops(target) + (isBySums(family) ? 0 : rowSeconds(family) * rows);
}

function rowSeconds(family: TargetSize['family']): number {
  if (family.includes('beta')) return COST.betaRow;
  return hasAtom(family) && family.endsWith('negative_binomial') ? COST.zeroCountRow : COST.row;
}

/** Families of shares, and those with two parts, are searched for longer. */
const effortOf = ({ family }: TargetSize): number => (family.includes('beta') ? 12 : hasAtom(family) ? 4 : 1);

function textOf({ text, epochs, made }: JobSize): StageCost[] {
  if (!text) return [];
  const { tokens, tokensARow, characters } = text;
  const markov = COST.textCharacter * characters;
  if (characters < MIN_CHARACTERS)
    return [{ stage: 'text', seconds: markov, why: 'little text, so a Markov chain is used' }];
  const seconds = trainingSeconds(text, epochs) + COST.writtenToken * made * tokensARow + markov;
  const why = `${counted(epochs, 'epoch')} of about ${withCommas(Math.round(tokens))} tokens, and ${counted(made, 'row')} to generate; depends on the base model and the GPU`;
  return [{ stage: 'text', seconds, why }];
}

function trainingSeconds({ tokens }: TextSize, epochs: number): number {
  const operations = OPERATIONS_A_WEIGHT * weightsOf(tokens) * tokens * epochs;
  return Math.min(MAX_OPERATIONS, operations) / COST.textOperations;
}

const weightsOf = (tokens: number): number => (tokens > WIDE_FROM_TOKENS ? WEIGHTS.wide : WEIGHTS.narrow);

function metricsOf(size: JobSize, models: readonly StageCost[]): StageCost {
  const compared = Math.min(COMPARED_ROWS, size.made) + Math.min(COMPARED_ROWS, size.training);
  const columns = size.categories + size.numbers + 1;
  const own = COST.metrics + columns * (COST.comparedCell * compared + COST.searchedCell * size.training);
  if (!size.isCrossFitted) return { stage: 'metrics', seconds: own, why: `${counted(compared, 'row')} compared` };
  const again = FOLDS * models.reduce((sum, { seconds }) => sum + seconds, 0);
  const why = `models fitted ${FOLDS} more times (cross-fitting), since there are too few rows to hold some out`;
  return { stage: 'metrics', seconds: own + again, why };
}

/**
 * Approximate peak memory of the job in MB, without a look at the values: where the family is to be chosen, that of the widest
 * design stands for it. `request` has passed `checkRequest`.
 */
export function estimateMemory(profile: Profile, request: TableRequest): number {
  return memoryOf(sizeOf(profile, request.family === 'auto' ? { ...request, family: 'gaussian' } : request));
}

/** MB: a process and its code, cells as text and as numbers, a posterior, a network in training. */
function memoryOf(size: JobSize): number {
  const cells = (size.rows + size.made) * (size.categories + size.numbers + 1);
  const draws = size.target ? CHAINS * size.draws * size.target.columns : 0;
  const design = size.target ? size.target.rows * size.target.columns : 0;
  const weights = size.text && size.text.characters >= MIN_CHARACTERS ? weightsOf(size.text.tokens) : 0;
  const characters = size.text ? size.text.characters : 0;
  const network = weights > 0 ? 450e6 + 24 * weights : 0;
  return Math.ceil((250e6 + 80 * cells + 24 * draws + 4 * design + network + 8 * characters) / 1e6);
}
