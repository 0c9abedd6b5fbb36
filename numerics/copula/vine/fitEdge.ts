/** Fits the copula of one edge and gives the conditional distributions that the next tree builds on. */
import { conditionOnU, conditionOnV } from '../discrete.ts';
import { fitPair, type PairFit } from '../fit/fitPair.ts';
import { selectPair } from '../fit/selectPair.ts';
import type { PairCopula, PairData } from '../pairCopula.ts';
import { isFamilyId, makePair } from '../registry.ts';
import { completeRows, Observed, pairData } from './observed.ts';
import type { Choices } from './settings.ts';

/** Fewer rows say nothing about dependence. */
const LEAST_ROWS = 5;

/** All that a fit depends on: plain data, so that it can be done in a worker thread. */
export interface EdgeTask {
  /** Rows that have both values. */
  data: PairData;
  /** From 0. */
  tree: number;
  /** Kendall's τ, where it is known. */
  tau: number | undefined;
}

export const edgeTask = (a: Observed, b: Observed, tree: number, tau: number | undefined): EdgeTask => ({
  data: pairData(a, b, completeRows(a, b)),
  tree,
  tau,
});

/** The pair copula of the task's pair, chosen by its first rows and fitted to all. */
export function fitEdge({ data, tree, tau }: EdgeTask, choices: Choices): PairFit {
  if (data.u.length < LEAST_ROWS || (tau !== undefined && Math.abs(tau) < choices.threshold)) return independent();
  // Where there is one family, there is nothing that a fit to few rows would save.
  const few = choices.families.length === 1 ? data : firstRows(data, choices.familyRows);
  const { method, criterion, tllDegree, families, independencePretest } = choices;
  const chosen = selectPair(few, {
    ...{ method, criterion, tllDegree, families, independencePretest },
    psi0: choices.psi0 ** (tree + 1),
    ...(tau === undefined ? {} : { tau }),
  });
  if (few === data || chosen.pair.family === 'independence') return chosen;
  const { family, rotation } = chosen.pair;
  return isFamilyId(family) ? fitPair(data, family, { method, rotation }) : fitPair(data, 'tll', { tllDegree });
}

const independent = (): PairFit => ({ pair: makePair('independence', 0, []), logLikelihood: 0 });

function firstRows(data: PairData, rows: number): PairData {
  if (data.u.length <= rows) return data;
  const first = (side: Float64Array | null) => side?.subarray(0, rows) ?? null;
  return {
    u: data.u.subarray(0, rows),
    v: data.v.subarray(0, rows),
    uBelow: first(data.uBelow),
    vBelow: first(data.vBelow),
  };
}

/** F(a | b) where `given` is b, F(b | a) where it is a. */
export function conditional(pair: PairCopula, a: Observed, b: Observed, given: 'a' | 'b'): Observed {
  const target = given === 'a' ? b : a;
  const rows = completeRows(a, b);
  if (pair.family === 'independence' && rows === null) return target;
  const condition = given === 'a' ? conditionOnU : conditionOnV;
  const { at, below } = condition(pair, pairData(a, b, rows));
  if (rows === null) return new Observed(at, below);
  const scatter = (values: Float64Array) => {
    const out = new Float64Array(a.at.length).fill(Number.NaN);
    for (let i = 0; i < rows.length; i++) out[rows[i]!] = values[i]!;
    return out;
  };
  return new Observed(scatter(at), below === null ? null : scatter(below));
}
