/**
 * Adds pairs only if a variance score test (Lin 1997) finds them in residuals of main effects, since needless pairs
 * widen intervals. n rows, p columns.
 */
import { dot } from '../../linalg/dense.ts';
import type { Matrix } from '../spec.ts';
import type { Draft, NumericPredictor, PairPart, RankedInput } from './design.ts';
import { PAIR_SDS, PAIR_WAVES, rankInput, wavesOf } from './pairFunctions.ts';

/** Minimum score in standard deviations of noise. */
const MIN_SCORE = 1.5;

export interface MainEffects {
  matrix: Matrix;
  response: Float64Array;
}

/** @param room maximum columns. */
export function draftPairs(draft: Draft, numbers: readonly NumericPredictor[], mains: MainEffects, room: number): void {
  const inputs = numbers.flatMap((number) => rankInput(number) ?? []);
  const most = Math.floor(room / PAIR_WAVES.length);
  if (inputs.length < 2 || most < 1) return;
  const waves = inputs.map((input) => wavesOf(input, numbers.find(({ name }) => name === input.name)!.values));
  const scored = scorePairs(waves, mains);
  const score = scored.reduce((sum, own) => sum + own.excess, 0);
  const variance = scored.reduce((sum, own) => sum + own.variance, 0);
  if (!(score > MIN_SCORE * Math.sqrt(variance))) return;
  const strengthOf = ({ excess, variance: own }: ScoredPair): number => excess / Math.sqrt(own);
  const chosen = [...scored].sort((a, b) => strengthOf(b) - strengthOf(a)).slice(0, most);
  draft.parts.push(
    addPairs(
      draft,
      inputs,
      scored.filter((pair) => chosen.includes(pair)),
    ),
  );
}

function addPairs(draft: Draft, inputs: RankedInput[], chosen: readonly ScoredPair[]): PairPart {
  const pairs = chosen.map(({ first, second }) => {
    const places = PAIR_WAVES.map(([j, k]) =>
      draft.addColumn(`${inputs[first]!.name} with ${inputs[second]!.name} ${j}.${k}`, null),
    );
    for (const [at, sd] of PAIR_SDS.entries()) draft.addPool('pairs of numbers', [places[at]!], sd);
    return { first, second, places };
  });
  return { kind: 'pairs', inputs, pairs };
}

/** `excess`: above the mean under noise. */
interface ScoredPair {
  first: number;
  second: number;
  excess: number;
  variance: number;
}

/** Σ s² (zᵀr)² for columns z with prior deviations s, residuals r. */
function scorePairs(waves: readonly Float64Array[][], { matrix, response }: MainEffects): ScoredPair[] {
  const basis = orthonormal(matrix);
  const residuals = without(basis, response);
  const noise = dot(residuals, residuals) / Math.max(1, response.length - basis.length);
  const scored: ScoredPair[] = [];
  for (let first = 0; first < waves.length; first++) {
    for (let second = first + 1; second < waves.length; second++) {
      const columns = PAIR_WAVES.map(([j, k], at) => {
        const [a, b] = [waves[first]![j - 1]!, waves[second]![k - 1]!];
        return without(
          basis,
          a.map((value, row) => PAIR_SDS[at]! * value * b[row]!),
        );
      });
      let [excess, variance] = [0, 0];
      columns.forEach((column, at) => {
        excess += dot(column, residuals) ** 2 - noise * dot(column, column);
        for (const other of columns.slice(0, at)) variance += 4 * (noise * dot(column, other)) ** 2;
        variance += 2 * (noise * dot(column, column)) ** 2;
      });
      if (variance > 0) scored.push({ first, second, excess, variance });
    }
  }
  return scored;
}

const DEPENDENT = 1e-6;

/** Repeated for accuracy. */
function orthonormal(x: Matrix): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const column of columnsOf(x)) {
    const rest = without(basis, without(basis, column));
    const length = Math.sqrt(dot(rest, rest));
    if (length > DEPENDENT * Math.sqrt(dot(column, column))) basis.push(rest.map((value) => value / length));
  }
  return basis;
}

function columnsOf(x: Matrix): Float64Array[] {
  const columns = Array.from({ length: x.cols }, () => new Float64Array(x.rows));
  for (let row = 0; row < x.rows; row++) {
    if (x.kind === 'dense') for (let j = 0; j < x.cols; j++) columns[j]![row] = x.values[row * x.cols + j]!;
    else for (let k = x.offsets[row]!; k < x.offsets[row + 1]!; k++) columns[x.at[k]!]![row] = x.values[k]!;
  }
  return columns;
}

function without(basis: readonly Float64Array[], vector: Float64Array): Float64Array {
  const rest = vector.slice();
  for (const unit of basis) {
    const share = dot(unit, rest);
    for (let row = 0; row < rest.length; row++) rest[row]! -= share * unit[row]!;
  }
  return rest;
}
