/** Chooses a pair's family: those that the sign and the tails of its dependence admit are fitted, and the best one kept. */
import { type FitOptions, fitPair, type PairFit, rotationsOfSign, sampleTau } from './fitPair.ts';
import type { PairData, PairFamily, Rotation } from './pairCopula.ts';
import { type FamilyId, makePair, PAIR_FAMILIES } from './registry.ts';
import { normalScores } from './tll/fitTll.ts';

export type Criterion = 'loglik' | 'aic' | 'bic' | 'mbicv';

export interface SelectOptions extends Omit<FitOptions, 'rotation'> {
  families: readonly (FamilyId | 'tll')[];
  criterion: Criterion;
  /** Prior probability of dependence, in mBICV; at tree t of a vine it is ψ₀ᵗ. Default 0.9. */
  psi0?: number;
  /** Keep independence where a test of τ = 0 at 5 % does not reject it. */
  independencePretest?: boolean;
}

/** Difference of tail correlations from which a family with one dependent tail is tried on that tail only. */
const CLEAR_ASYMMETRY = 0.05;
/** Difference from which Frank, equal in both tails, is not tried. */
const STRONG_ASYMMETRY = 0.3;
const NORMAL_95 = 1.959963984540054;

/** What is minimised. `rows` is n, or the weights' sum. */
function criterionValue(fit: PairFit, criterion: Criterion, rows: number, psi0: number): number {
  const { parameterCount, family } = fit.pair;
  if (criterion === 'loglik') return -2 * fit.logLikelihood;
  if (criterion === 'aic') return -2 * fit.logLikelihood + 2 * parameterCount;
  const bic = -2 * fit.logLikelihood + Math.log(rows) * parameterCount;
  if (criterion === 'bic') return bic;
  return bic - 2 * Math.log(family === 'independence' ? 1 - psi0 : psi0);
}

/**
 * The family of least criterion; the first of equals. Families without τ inversion are left out where that is the
 * method. Independence is always among the candidates. Throws as `fitPair` does.
 */
export function selectPair(data: PairData, options: SelectOptions): PairFit {
  const weights = options.weights ?? null;
  const needsTau = options.independencePretest || options.families.some((name) => name !== 'tll');
  const tau = options.tau ?? (needsTau ? sampleTau(data, weights) : 0);
  const rows = weights === null ? data.u.length : weights.reduce((sum, w) => sum + w, 0);
  const independent = { pair: makePair('independence', 0, []), logLikelihood: 0 };
  if (options.independencePretest && isIndependent(tau, rows)) return independent;
  const psi0 = options.psi0 ?? 0.9;
  let best: PairFit = independent;
  let least = criterionValue(best, options.criterion, rows, psi0);
  for (const [family, rotation] of candidates(data, tau, options)) {
    const fit = fitPair(data, family, { ...options, tau, ...(rotation === undefined ? {} : { rotation }) });
    const value = criterionValue(fit, options.criterion, rows, psi0);
    if (value < least) [best, least] = [fit, value];
  }
  return best;
}

/** Whether τ is within the normal approximation's 95 % of independence. */
const isIndependent = (tau: number, rows: number): boolean =>
  Math.abs(tau) * Math.sqrt((9 * rows * (rows - 1)) / (2 * (2 * rows + 5))) < NORMAL_95;

function candidates(data: PairData, tau: number, options: SelectOptions): [FamilyId | 'tll', Rotation | undefined][] {
  const asymmetry = options.families.some(hasTails) ? tailAsymmetry(data, tau) : 0;
  return options.families
    .filter((name) => name !== 'independence')
    .flatMap((name): [FamilyId | 'tll', Rotation | undefined][] => {
      if (name === 'tll') return [['tll', undefined]];
      const family = PAIR_FAMILIES[name];
      if (options.method === 'itau' && family.bounds.length > 1 && name !== 'student') return [];
      if (name === 'frank' && Math.abs(asymmetry) > STRONG_ASYMMETRY) return [];
      return rotationsToTry(family, tau, asymmetry).map((rotation) => [name, rotation]);
    });
}

/** Whether the data's tails decide if, or how, it is tried. */
const hasTails = (name: FamilyId | 'tll'): boolean =>
  name === 'frank' || (name !== 'tll' && oneTailed(PAIR_FAMILIES[name]));

const oneTailed = (family: PairFamily): boolean => family.tail === 'lower' || family.tail === 'upper';

function rotationsToTry(family: PairFamily, tau: number, asymmetry: number): Rotation[] {
  const both = rotationsOfSign(family, tau);
  if (both.length === 1 || !oneTailed(family) || Math.abs(asymmetry) < CLEAR_ASYMMETRY) return both;
  return [both[asymmetry > 0 === (family.tail === 'upper') ? 0 : 1]!];
}

/** Correlation of normal scores above both medians less that below both, u turned where τ is negative. */
function tailAsymmetry(data: PairData, tau: number): number {
  const x = normalScores(data.u);
  const y = normalScores(data.v);
  const sign = tau < 0 ? -1 : 1;
  return quadrantCorrelation(x, y, sign, 1) - quadrantCorrelation(x, y, sign, -1);
}

function quadrantCorrelation(x: Float64Array, y: Float64Array, sign: number, side: number): number {
  let [n, sumX, sumY, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const a = sign * side * x[i]!;
    const b = side * y[i]!;
    if (!(a > 0 && b > 0)) continue;
    n++;
    sumX += a;
    sumY += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  const [varX, varY] = [n * xx - sumX * sumX, n * yy - sumY * sumY];
  return n > 2 && varX > 0 && varY > 0 ? (n * xy - sumX * sumY) / Math.sqrt(varX * varY) : 0;
}
