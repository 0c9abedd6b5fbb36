import { lgamma } from '../../special/gamma.ts';
import { ellipticalCdf, type StudentScale, studentQuantile, studentScale } from '../elliptical.ts';
import type { PairFamily } from '../pairCopula.ts';

const LIMIT = 0.9999;

/** The copula of a bivariate t of correlation ρ and ν degrees of freedom (Demarta and McNeil, 2005). */
export const student: PairFamily = {
  name: 'student',
  bounds: [
    [-LIMIT, LIMIT],
    [2, 50],
  ],
  rotations: [0],
  tail: 'both',
  make(parameters) {
    const rho = parameters[0]!;
    const df = parameters[1]!;
    const square = (1 - rho) * (1 + rho);
    const marginal = studentScale(df);
    const conditional = studentScale(df + 1);
    const logConstant = lgamma(0.5 * df + 1) - lgamma(0.5 * df) - Math.log(df * Math.PI) - 0.5 * Math.log(square);
    const spread = (x: number) => Math.sqrt((square * (df + x * x)) / (df + 1));
    return {
      logDensity(u, v) {
        const x = studentQuantile(marginal, u);
        const y = studentQuantile(marginal, v);
        const form = (x * x + y * y - 2 * rho * x * y) / (df * square);
        const margins = Math.log1p((x * x) / df) + Math.log1p((y * y) / df);
        return logConstant - (0.5 * df + 1) * Math.log1p(form) - 2 * marginal.logConstant + 0.5 * (df + 1) * margins;
      },
      cdf: (u, v) => jointCdf(marginal, df, rho, u, v),
      h(u, v) {
        const x = studentQuantile(marginal, u);
        return conditional.cdf((studentQuantile(marginal, v) - rho * x) / spread(x));
      },
      inverseH(u, p) {
        const x = studentQuantile(marginal, u);
        return marginal.cdf(spread(x) * studentQuantile(conditional, p) + rho * x);
      },
      tau: () => (2 / Math.PI) * Math.asin(rho),
      tailDependence() {
        const both = 2 * conditional.cdf(-Math.sqrt(((df + 1) * (1 - rho)) / (1 + rho)));
        return [both, both];
      },
    };
  },
  fromTau: (tau) => [Math.min(Math.max(Math.sin(0.5 * Math.PI * tau), -LIMIT), LIMIT), 8],
};

function jointCdf(marginal: StudentScale, df: number, rho: number, u: number, v: number): number {
  const generator = (s: number) => Math.exp(-0.5 * df * Math.log1p(s / df));
  return ellipticalCdf(studentQuantile(marginal, u), studentQuantile(marginal, v), u, v, rho, generator);
}
