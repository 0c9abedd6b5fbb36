/** Pair copulas by their textbook formulas: what draws come from and fits are held against. */
import { offEdge, type PairCopula } from '../../../../packages/numerics/copula/pairCopula.ts';
import type { RandomStream } from '../../../../packages/numerics/random/stream.ts';
import { normalCdf, normalQuantile } from '../../../../packages/numerics/special/normal.ts';

/** C(u, v) = C(v, u), arguments in (0, 1). */
interface Formulas {
  tau: number;
  logDensity(u: number, v: number): number;
  cdf(u: number, v: number): number;
  /** P(V ≤ v | U = u), and the v where it is p. */
  h(u: number, v: number): number;
  inverse(u: number, p: number): number;
}

/** Correlation `rho` of the normal scores, within ±1. */
export function gaussianPair(rho: number): PairCopula {
  const root = Math.sqrt(1 - rho * rho);
  const h = (u: number, v: number) => normalCdf((normalQuantile(v) - rho * normalQuantile(u)) / root);
  return pairOf({
    tau: (2 / Math.PI) * Math.asin(rho),
    logDensity(u, v) {
      const [x, y] = [normalQuantile(u), normalQuantile(v)];
      return -Math.log(root) - (rho * (rho * (x * x + y * y) - 2 * x * y)) / (2 * root * root);
    },
    cdf: (u, v) => integral((s) => h(s, v), u),
    h,
    inverse: (u, p) => normalCdf(rho * normalQuantile(u) + root * normalQuantile(p)),
  });
}

/** ∫ f from 0 to u by the midpoint rule. */
function integral(f: (s: number) => number, u: number): number {
  const steps = 200;
  let sum = 0;
  for (let k = 0; k < steps; k++) sum += f((u * (k + 0.5)) / steps);
  return (u * sum) / steps;
}

/** Dependent in the lower tail alone; θ > 0, τ = θ / (θ + 2). `turned` by 90° it is the copula of (1 - U, V). */
export function claytonPair(theta: number, { turned } = { turned: false }): PairCopula {
  const sum = (u: number, v: number) => u ** -theta + v ** -theta - 1;
  const upright: Formulas = {
    tau: theta / (theta + 2),
    logDensity: (u, v) => Math.log1p(theta) - (theta + 1) * Math.log(u * v) - (2 + 1 / theta) * Math.log(sum(u, v)),
    cdf: (u, v) => sum(u, v) ** (-1 / theta),
    h: (u, v) => u ** (-theta - 1) * sum(u, v) ** (-1 / theta - 1),
    inverse: (u, p) => ((p ** (-theta / (theta + 1)) - 1) * u ** -theta + 1) ** (-1 / theta),
  };
  return turned ? turnedPair(upright) : pairOf(upright);
}

const pairOf = ({ tau, logDensity, cdf, h, inverse }: Formulas): PairCopula =>
  withArrays({
    tau: () => tau,
    logDensity,
    cdf,
    h1: h,
    h2: (u, v) => h(v, u),
    inverseH1: inverse,
    inverseH2: (p, v) => inverse(v, p),
  });

const turnedPair = ({ tau, logDensity, cdf, h, inverse }: Formulas): PairCopula =>
  withArrays({
    tau: () => -tau,
    logDensity: (u, v) => logDensity(1 - u, v),
    cdf: (u, v) => v - cdf(1 - u, v),
    h1: (u, v) => h(1 - u, v),
    h2: (u, v) => 1 - h(v, 1 - u),
    inverseH1: (u, p) => inverse(1 - u, p),
    inverseH2: (p, v) => 1 - inverse(v, 1 - p),
  });

type Scalars = Pick<PairCopula, 'tau' | 'logDensity' | 'cdf' | 'h1' | 'h2' | 'inverseH1' | 'inverseH2'>;

type Rule = (a: number, b: number) => number;

function withArrays({ tau, cdf, ...rules }: Scalars): PairCopula {
  const inside =
    (f: Rule): Rule =>
    (a, b) =>
      f(offEdge(a), offEdge(b));
  const over = (f: Rule) => (a: Float64Array, b: Float64Array, out: Float64Array) => {
    for (let i = 0; i < out.length; i++) out[i] = f(a[i]!, b[i]!);
  };
  const scalars = {
    logDensity: inside(rules.logDensity),
    h1: inside(rules.h1),
    h2: inside(rules.h2),
    inverseH1: inside(rules.inverseH1),
    inverseH2: inside(rules.inverseH2),
  };
  return {
    // All that vines ask of the family is whether it is independence.
    family: 'tll',
    parameterCount: 1,
    tau,
    cdf,
    ...scalars,
    logDensityInto: over(scalars.logDensity),
    h1Into: over(scalars.h1),
    h2Into: over(scalars.h2),
    inverseH2Into: over(scalars.inverseH2),
    save() {
      throw new Error('a reference copula is not saved');
    },
  };
}

/** n draws of (U, V): U uniform, V by the inverse of h₁. Two uniforms a draw. */
export function simulatePair(pair: PairCopula, n: number, random: RandomStream): { u: Float64Array; v: Float64Array } {
  const u = new Float64Array(n);
  const v = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    u[i] = random.uniform();
    v[i] = pair.inverseH1(u[i]!, random.uniform());
  }
  return { u, v };
}
