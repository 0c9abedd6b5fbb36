/**
 * The slow, legible reference of boosted trees: no bins, no histograms, every split of every feature tried on the raw
 * numbers with sums taken anew. Numbers only; NaN is missing. x[row][feature].
 */
interface ReferenceSettings {
  iterations: number;
  learningRate: number;
  maxLeaves: number;
  minLeafRows: number;
}

type GoesLeft = (row: readonly number[]) => boolean;

interface Candidate {
  gain: number;
  goesLeft: GoesLeft;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Training predictions of boosting under squared or logistic loss, on the raw scale. */
export function boostByBruteForce(
  x: number[][],
  y: number[],
  loss: 'squared' | 'logistic',
  settings: ReferenceSettings,
): number[] {
  const logistic = loss === 'logistic';
  const share = (sum(y) + 0.5) / (y.length + 1);
  const raw: number[] = y.map(() => (logistic ? Math.log(share / (1 - share)) : sum(y) / y.length));
  for (let iteration = 0; iteration < settings.iterations; iteration++) {
    const p = raw.map((f) => (logistic ? 1 / (1 + Math.exp(-f)) : f));
    const g = p.map((value, row) => value - y[row]!);
    const h = p.map((value) => (logistic ? value * (1 - value) : 1));
    for (const rows of growByBruteForce(x, g, h, settings)) {
      const step = (-settings.learningRate * sum(rows.map((r) => g[r]!))) / sum(rows.map((r) => h[r]!));
      for (const row of rows) raw[row]! += step;
    }
  }
  return raw;
}

/** Rows of each leaf of one tree. */
function growByBruteForce(x: number[][], g: number[], h: number[], settings: ReferenceSettings): number[][] {
  let leaves = [x.map((_, row) => row)];
  while (leaves.length < settings.maxLeaves) {
    const splits = leaves.map((rows) => bestSplit(x, g, h, rows, settings.minLeafRows));
    const at = splits.reduce((best, split, i) => ((split?.gain ?? 0) > (splits[best]?.gain ?? 0) ? i : best), 0);
    const split = splits[at];
    if (!split) break;
    const left = leaves[at]!.filter((row) => split.goesLeft(x[row]!));
    const right = leaves[at]!.filter((row) => !split.goesLeft(x[row]!));
    leaves = [...leaves.slice(0, at), left, right, ...leaves.slice(at + 1)];
  }
  return leaves;
}

function bestSplit(
  x: number[][],
  g: number[],
  h: number[],
  rows: number[],
  minLeafRows: number,
): Candidate | undefined {
  const score = (part: number[]): number => sum(part.map((r) => g[r]!)) ** 2 / sum(part.map((r) => h[r]!));
  let best: Candidate | undefined;
  for (const goesLeft of everySplit(x, rows)) {
    const left = rows.filter((row) => goesLeft(x[row]!));
    const right = rows.filter((row) => !goesLeft(x[row]!));
    if (left.length < minLeafRows || right.length < minLeafRows) continue;
    const gain = score(left) + score(right) - score(rows);
    if (gain > (best?.gain ?? 1e-9)) best = { gain, goesLeft };
  }
  return best;
}

function* everySplit(x: number[][], rows: number[]): Generator<GoesLeft> {
  for (let feature = 0; feature < x[0]!.length; feature++) {
    const values = rows.map((row) => x[row]![feature]!);
    const thresholds = [...new Set(values.filter((value) => !Number.isNaN(value)))];
    for (const threshold of thresholds) {
      yield (row) => row[feature]! <= threshold;
      yield (row) => Number.isNaN(row[feature]!) || row[feature]! <= threshold;
    }
  }
}
