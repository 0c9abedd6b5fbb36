/** Tests whether rows of one value belong together. */

/** Row sample, column by column in file order; null is missing. */
export type SampledCells = readonly (readonly (string | null)[])[];

export interface Agreement {
  column: number;
  /** Shares of agreeing pairs within a value, and between neighbouring values. */
  within: number;
  between: number;
}

const MAX_PAIRS = 2000;
const MAX_COLUMNS = 200;
const MIN_PAIRS = 40;
/** Agreement of constant columns, allowing for slips; and the most that chance or nearby quantities explain. */
const CONSTANT = 0.9;
const BY_CHANCE = 0.75;
/** Minimum difference of two shares, in standard errors and absolutely. */
const ERRORS = 4;
const SLIGHT = 0.05;
/** A column with more values per key is a time or place, not an identity. */
const LEVELS_PER_KEY = 0.5;

/**
 * Returns the column in which rows of one value of column `at` agree most, if any: more often than those of
 * neighbouring values.
 */
export function agreementWithin(cells: SampledCells, at: number): Agreement | undefined {
  const key = cells[at] ?? [];
  const { within, between } = pairsOf(key);
  const strangers = between.map(([row], i): Pair => [row, between[(i + (between.length >> 1)) % between.length]![1]]);
  const keys = new Set(key).size;
  let best: Agreement | undefined;
  for (let column = 0; column < Math.min(cells.length, MAX_COLUMNS); column++) {
    const other = cells[column]!;
    if (column === at || new Set(other).size > LEVELS_PER_KEY * keys) continue;
    const [same, next, any] = [agreeing(other, within), agreeing(other, between), agreeing(other, strangers)];
    const isConstant = same.share >= CONSTANT && next.share <= BY_CHANCE && differ(same, next);
    if (!isConstant || differ(next, any)) continue;
    const gap = same.share - next.share;
    if (!best || gap > best.within - best.between) best = { column, within: same.share, between: next.share };
  }
  return best;
}

interface Agreeing {
  share: number;
  pairs: number;
}

function differ(a: Agreeing, b: Agreeing): boolean {
  const error = Math.sqrt((a.share * (1 - a.share)) / a.pairs + (b.share * (1 - b.share)) / b.pairs);
  return Math.abs(a.share - b.share) > Math.max(SLIGHT, ERRORS * error);
}

type Pair = readonly [number, number];

/** Pairs successive rows within values and between neighbouring values. */
function pairsOf(key: readonly (string | null)[]): { within: Pair[]; between: Pair[] } {
  const rows = [...key.keys()].filter((row) => key[row] !== null);
  rows.sort((a, b) => inOrder(key[a]!, key[b]!) || a - b);
  const [within, between]: [Pair[], Pair[]] = [[], []];
  for (let i = 1; i < rows.length; i++) {
    const pair: Pair = [rows[i - 1]!, rows[i]!];
    (key[pair[0]] === key[pair[1]] ? within : between).push(pair);
  }
  return { within: spread(within), between: spread(between) };
}

const inOrder = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

function spread(pairs: readonly Pair[]): Pair[] {
  const count = Math.min(pairs.length, MAX_PAIRS);
  return Array.from({ length: count }, (_, i) => pairs[Math.floor((i * pairs.length) / count)]!);
}

/** NaN for too few pairs. */
function agreeing(cells: readonly (string | null)[], pairs: readonly Pair[]): Agreeing {
  let [agree, there] = [0, 0];
  for (const [a, b] of pairs) {
    if (cells[a] === null || cells[b] === null) continue;
    there++;
    if (cells[a] === cells[b]) agree++;
  }
  return { share: there < MIN_PAIRS ? Number.NaN : agree / there, pairs: there };
}
