import type { ColumnProfile } from '../../contract/columns.ts';
import { type Family, isOfNumbers, LABEL_LEVELS } from '../../contract/families.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Predictor } from '../../numerics/regression/design/design.ts';
import { separatingPredictor } from '../../numerics/regression/design/separation.ts';
import type { Sampler } from '../../numerics/regression/samplers.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { detectFamily } from '../family/detectFamily.ts';
import { parsedNumbers } from '../family/familyDesign.ts';
import { isLabelTarget } from '../family/labelTarget.ts';

export interface TargetSize {
  family: Family;
  /** Rows with a target (one per entity), and those that chains read. */
  rows: number;
  read: number;
  columns: number;
  /** The part fitted only to nonzero rows has fewer. */
  entries: number;
  /** Part that sums of products replace. */
  summed: { columns: number; entries: number };
  /** Full-size regressions of a label target; 1 for numbers. */
  regressions: number;
}

export interface TextSize {
  /** Includes row prefixes. */
  tokens: number;
  tokensARow: number;
  characters: number;
}

export interface JobSize {
  rows: number;
  training: number;
  isCrossFitted: boolean;
  /** Cross-fits the attacks; null decides by cost. */
  crossFit: boolean | null;
  isOfEntities: boolean;
  made: number;
  draws: number;
  tune: number;
  sampler: Sampler;
  epochs: number;
  /** Includes missingness indicators. */
  categories: number;
  numbers: number;
  target: TargetSize | null;
  text: TextSize | null;
}

/** As in the job. */
const ROWS_TO_HOLD_OUT = 500;
const TRAINING_SHARE = 0.9;

/** Maximum design columns of a number and of a category. */
const CURVE = 9;
const LEVELS = 50;
/** Designs widen with about the cube root of the rows. */
const ROWS_OF_ONE = 420;
const GROWTH = 0.36;
/** Product columns per numeric pair at this row count. */
const ROWS_OF_PRODUCTS = 18_000;
const PRODUCTS = 12;
const BREADTH = { least: 0.7, most: 4 } as const;
const WIDEST = { sums: 700, rows: 300, atom: 120 } as const;

/** Characters per token, and prefix tokens per text column. */
const CHARACTERS_A_TOKEN = 4.5;
const TOKENS_TOLD = 10;

export const isBySums = (family: Family): boolean => family === 'gaussian' || family === 'lognormal';
/** True for a family with a point mass. */
export const hasAtom = (family: Family): boolean => /inflated|hurdle/.test(family);

/** `request` has passed `checkRequest`. */
export function sizeOf(profile: Profile, request: TableRequest): JobSize {
  const { rows } = profile;
  const isCrossFitted = rows < ROWS_TO_HOLD_OUT;
  const training = isCrossFitted ? rows : Math.round(TRAINING_SHARE * rows);
  const of = (names: readonly string[]): ColumnProfile[] =>
    profile.columns.filter(({ name, kind }) => names.includes(name) && kind !== 'identifier');
  const [numbers, categories] = [of(request.continuous_cols), of(request.categorical_cols)];
  const target = profile.columns.find(({ name }) => name === request.target_col);
  const gaps = [...numbers, ...(target ? [target] : [])].filter(({ missing }) => missing > 0).length;
  const { draws, tune, sampler, text_epochs: epochs } = request;
  const made = rowsWanted(profile, request);
  const entities = entitiesIn(profile, request);
  const described = entities === null ? training : Math.round(TRAINING_SHARE * entities);
  return {
    isOfEntities: request.entity_col !== null,
    rows,
    training,
    isCrossFitted,
    crossFit: request.cross_fit,
    made,
    draws,
    tune,
    sampler,
    epochs,
    categories: categories.length + gaps,
    numbers: numbers.length,
    target: target ? targetSize(profile, target, request.family, described, numbers, categories) : null,
    text: textSize(profile, request, training),
  };
}

/** Assumes the file's mean rows per entity. */
function rowsWanted(profile: Profile, request: TableRequest): number {
  const { n_samples, n_entities } = request;
  const entities = entitiesIn(profile, request);
  return n_entities === null || !entities ? n_samples : Math.ceil((n_entities * profile.rows) / entities);
}

const entitiesIn = ({ columns }: Profile, { entity_col }: TableRequest): number | null =>
  columns.find(({ name }) => name === entity_col)?.distinct ?? null;

function targetSize(
  profile: Profile,
  target: ColumnProfile,
  asked: TableRequest['family'],
  training: number,
  numbers: readonly ColumnProfile[],
  categories: readonly ColumnProfile[],
): TargetSize {
  const isLabel = isLabelTarget(target, profile.rows, asked);
  const asTold = isLabel ? 'bernoulli' : asked === 'auto' ? detectFamily(profile, target).family : asked;
  const family = isOfNumbers(asTold) ? asTold : 'bernoulli';
  const rows = Math.max(1, Math.round(training * (1 - target.missing / Math.max(1, profile.rows))));
  const plain =
    numbers.reduce((sum, { distinct }) => sum + Math.min(CURVE, distinct), 0) +
    categories.reduce((sum, { distinct }) => sum + Math.min(LEVELS, distinct), 0);
  const informative = Math.max(1, Math.round(rows * (leavesZerosOut(family) ? 1 - zeroShare(target) : 1)));
  const breadth = Math.min(BREADTH.most, Math.max(BREADTH.least, (informative / ROWS_OF_ONE) ** GROWTH));
  const pairs = isBySums(family) ? (numbers.length * (numbers.length - 1)) / 2 : 0;
  const wanted = 1 + Math.round(breadth * plain + PRODUCTS * pairs * Math.sqrt(rows / ROWS_OF_PRODUCTS));
  const location = Math.min(wanted, informative, isBySums(family) ? WIDEST.sums : WIDEST.rows);
  const isSettled = leavesZerosOut(family) && hasSeparatedZeros(profile, target, [...numbers, ...categories]);
  const atom = hasAtom(family) && !isSettled ? Math.min(wanted, rows, WIDEST.atom) : 0;
  const own = { columns: location, entries: location * informative };
  const summed = isBySums(family) || family === 'hurdle_lognormal' ? own : { columns: 0, entries: 0 };
  const read = isSettled ? informative : rows;
  const regressions = isLabel ? regressionsOf(target, profile.rows) : 1;
  return { family, rows, read, columns: location + atom, entries: own.entries + atom * rows, summed, regressions };
}

/** Each regression excludes rows of earlier labels. */
function regressionsOf({ top_levels, missing }: ColumnProfile, rows: number): number {
  const counts = top_levels.map(([, count]) => count).slice(0, LABEL_LEVELS.most);
  const all = Math.max(1, rows - missing);
  const left = counts.map((_, k) => counts.slice(k).reduce((sum, count) => sum + count, 0) / all);
  return Math.max(
    1,
    left.slice(0, -1).reduce((sum, share) => sum + share, 0),
  );
}

/** Checks whether one predictor determines the target's zeros in the sample. */
function hasSeparatedZeros(profile: Profile, target: ColumnProfile, predictors: readonly ColumnProfile[]): boolean {
  const rows = Array.from({ length: profile.sample.rows }, (_, row) => row);
  const cellsOf = (column: ColumnProfile) => profile.sample.cells[profile.columns.indexOf(column)] ?? [];
  if (!target.format) return false;
  const y = parsedNumbers(cellsOf(target), rows, target.format);
  const columns = predictors.map((column): Predictor => {
    const { name, format, kind } = column;
    if (format && kind !== 'categorical') {
      return { kind: 'numeric', name, values: parsedNumbers(cellsOf(column), rows, format) };
    }
    const levels = [...new Set(cellsOf(column))];
    const codes = new Map(levels.map((level, code) => [level, level === null ? -1 : code]));
    const codeOf = (cell: string | null): number => codes.get(cell) ?? -1;
    return { kind: 'category', name, codes: Int32Array.from(cellsOf(column), codeOf), levels: levels.map(String) };
  });
  const weights = y.map((value) => (Number.isNaN(value) ? 0 : 1));
  return separatingPredictor(columns, { values: y.map((value) => (value === 0 ? 1 : 0)), weights }) !== undefined;
}

const leavesZerosOut = (family: Family): boolean => /^(hurdle|zero_inflated_beta)/.test(family);

const zeroShare = ({ numbers }: ColumnProfile): number => (numbers ? numbers.zeros / Math.max(1, numbers.count) : 0);

export function textSize(profile: Profile, { text_cols }: TableRequest, training: number): TextSize | null {
  // Person names come from lists at no cost.
  const columns = profile.columns.filter(({ name, text_form }) => text_cols.includes(name) && text_form === undefined);
  if (columns.length === 0) return null;
  const aRow = columns.reduce((sum, { lengths, missing }) => {
    return sum + ((lengths?.mean ?? 0) * (profile.rows - missing)) / Math.max(1, profile.rows);
  }, 0);
  const tokensARow = TOKENS_TOLD * columns.length + aRow / CHARACTERS_A_TOKEN;
  return { tokens: tokensARow * training, tokensARow, characters: aRow * training };
}

export interface MachinePrice {
  dollarsPerHour: number;
  /** Paid seconds before the job starts. */
  startSeconds: number;
}

export interface MachinePrices {
  /** For jobs with text columns. */
  gpu: MachinePrice;
  cpu: MachinePrice;
  requestDollars: number;
  assumes: string;
}

/** In US dollars. */
export function priceOf(prices: MachinePrices, seconds: number, hasText: boolean): number {
  const { dollarsPerHour, startSeconds } = hasText ? prices.gpu : prices.cpu;
  return prices.requestDollars + (dollarsPerHour * (startSeconds + seconds)) / 3600;
}
