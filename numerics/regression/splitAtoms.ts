/**
 * A family with an atom at 0 or 1 beside what never is that falls into regressions that share no coefficient: whether y is
 * the atom (Bernoulli), and what it is where it is not. Each part is then as fast as its own structure allows.
 */
import type { ResponseName } from '../distributions/family.ts';
import { takeRows } from './aggregateRows.ts';
import type { PredictorSpec, RegressionSpec } from './spec.ts';

interface Atom {
  parameter: string;
  y: 0 | 1;
}

/** The family of what is no atom, and the atoms in the order in which they are told apart. */
const SPLIT: Partial<Record<ResponseName, { base: ResponseName; atoms: readonly Atom[] }>> = {
  hurdle_poisson: { base: 'truncated_poisson', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_negative_binomial: { base: 'truncated_negative_binomial', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_gamma: { base: 'gamma', atoms: [{ parameter: 'zero', y: 0 }] },
  hurdle_lognormal: { base: 'lognormal', atoms: [{ parameter: 'zero', y: 0 }] },
  zero_inflated_beta: { base: 'beta', atoms: [{ parameter: 'zero', y: 0 }] },
  one_inflated_beta: { base: 'beta', atoms: [{ parameter: 'one', y: 1 }] },
  zero_one_inflated_beta: {
    base: 'beta',
    atoms: [
      { parameter: 'zero', y: 0 },
      { parameter: 'one', y: 1 },
    ],
  },
};

export interface SpecPart {
  spec: RegressionSpec;
  /** The entries of the whole's θ that the part's θ is. */
  entries: Int32Array;
}

/** Undefined for a family without atoms. */
export function splitAtoms(spec: RegressionSpec): SpecPart[] | undefined {
  const split = SPLIT[spec.family];
  if (!split) return undefined;
  const entries = entriesOf(spec.predictors);
  const parts: SpecPart[] = [];
  let rows = Int32Array.from(spec.y, (_, i) => i);
  for (const atom of split.atoms) {
    const k = spec.predictors.findIndex(({ parameter }) => parameter === atom.parameter);
    const isAtom = Float64Array.from(rows, (row) => Number(spec.y[row] === atom.y));
    const part = restrict({ ...spec, predictors: [spec.predictors[k]!] }, rows);
    parts.push({ spec: { ...part, family: 'bernoulli', y: isAtom }, entries: entries[k]! });
    rows = rows.filter((row) => spec.y[row] !== atom.y);
  }
  const others = spec.predictors.map((_, k) => k).filter((k) => !isAtomic(spec.predictors[k]!, split.atoms));
  const base = restrict({ ...spec, family: split.base, predictors: others.map((k) => spec.predictors[k]!) }, rows);
  return [{ spec: base, entries: Int32Array.from(others.flatMap((k) => [...entries[k]!])) }, ...parts];
}

const isAtomic = (predictor: PredictorSpec, atoms: readonly Atom[]): boolean =>
  atoms.some(({ parameter }) => parameter === predictor.parameter);

function entriesOf(predictors: readonly PredictorSpec[]): Int32Array[] {
  let at = 0;
  return predictors.map((predictor) => {
    const size = predictor.kind === 'linear' ? predictor.design.cols : 1;
    at += size;
    return Int32Array.from({ length: size }, (_, j) => at - size + j);
  });
}

/** The rows listed, ascending; the spec's own arrays where that is all of them. */
export function restrict(spec: RegressionSpec, rows: Int32Array): RegressionSpec {
  if (rows.length === spec.y.length) return spec;
  const { y, weights } = spec;
  return {
    ...spec,
    y: Float64Array.from(rows, (row) => y[row]!),
    weights: weights && Float64Array.from(rows, (row) => weights[row]!),
    predictors: spec.predictors.map((predictor) =>
      predictor.kind === 'linear' ? { ...predictor, design: takeRows(predictor.design, rows) } : predictor,
    ),
  };
}
