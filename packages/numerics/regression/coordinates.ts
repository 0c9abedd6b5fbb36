/**
 * Maps unconstrained coordinates u (d = m + pools) to θ (m).
 * Plain entries: θ = u. Bounded entries (uniform prior): θ = lower + (upper - lower) · logistic(u).
 * Pooled entries: θ = sd τ^(1-λ) u, u ~ N(0, τ^λ); λ = 1 is centred, λ = 0 non-centred (Gorinova et al. 2020). The last
 * coordinates are log τ.
 */
import type { Layout, PoolLayout } from './posterior.ts';
import { inverseLink, priorOnLink, priorTerm } from './spec.ts';

export interface Coordinates {
  readonly dimension: number;
  toTheta(position: Float64Array, theta: Float64Array): void;
  /** Returns the log prior with Jacobians; turns the likelihood's gradient (m) into the posterior's (d). */
  pullBack(position: Float64Array, theta: Float64Array, gradientTheta: Float64Array, gradient: Float64Array): number;
  /** Turns the likelihood's negative Hessian (leading m × m part, zeros elsewhere) into the posterior's (d × d). */
  pullBackHessian(
    position: Float64Array,
    theta: Float64Array,
    gradientTheta: Float64Array,
    hessian: Float64Array,
  ): void;
  /** Natural-scale values. */
  constrain(position: Float64Array): Float64Array;
  fromTheta(theta: Float64Array, logTaus: ArrayLike<number>): Float64Array;
  scaleSlopes(position: Float64Array, variances: Float64Array): { slope: number; curvature: number }[];
}

/** Corresponds to a standard deviation of 1.4. */
const MIN_CURVATURE = 0.5;

interface BoundedEntry {
  at: number;
  lower: number;
  width: number;
}

/** `centring`: λ by entry of θ; defaults to centred. */
export function coordinatesOf(layout: Layout, centring: Float64Array | null): Coordinates {
  const m = layout.size;
  const plain = compilePlain(layout);
  const bounded = boundedEntries(layout);
  const pools = layout.pools.map((pool, k) => pooled(pool, m + k, centring));
  const d = m + pools.length;

  function toTheta(position: Float64Array, theta: Float64Array): void {
    for (let i = 0; i < m; i++) theta[i] = position[i]!;
    for (const { at, lower, width } of bounded) theta[at] = lower + width * inverseLink('logit', position[at]!);
    for (const pool of pools) pool.toTheta(position, theta);
  }

  function pullBack(
    position: Float64Array,
    theta: Float64Array,
    gradientTheta: Float64Array,
    gradient: Float64Array,
  ): number {
    for (let i = 0; i < m; i++) gradient[i] = gradientTheta[i]!;
    let value = plain.add(theta, gradient);
    for (const { at, width } of bounded) {
      const jacobian = priorOnLink({ kind: 'flat' }, 'logit', position[at]!);
      gradient[at] = gradientTheta[at]! * width * Math.exp(jacobian.value) + jacobian.slope;
      value += jacobian.value;
    }
    for (const pool of pools) value += pool.pullBack(position, theta, gradientTheta, gradient);
    return value;
  }

  function pullBackHessian(
    position: Float64Array,
    theta: Float64Array,
    gradientTheta: Float64Array,
    hessian: Float64Array,
  ): void {
    for (const pool of pools) pool.addScaleColumn(theta, hessian, d);
    for (const pool of pools) pool.scaleRows(position, gradientTheta, theta, hessian, d);
    for (const { at, width } of bounded) {
      const share = inverseLink('logit', position[at]!);
      const slope = width * share * (1 - share);
      scaleRowAndColumn(hessian, d, at, slope);
      hessian[at * d + at]! += 2 * share * (1 - share) - gradientTheta[at]! * slope * (1 - 2 * share);
    }
    plain.subtractCurvature(theta, hessian, d);
  }

  function constrain(position: Float64Array): Float64Array {
    const natural = new Float64Array(d);
    toTheta(position, natural);
    for (let i = 0; i < m; i++)
      if (layout.links[i] !== 'identity') natural[i] = inverseLink(layout.links[i]!, natural[i]!);
    for (let i = m; i < d; i++) natural[i] = Math.exp(position[i]!);
    return natural;
  }

  function fromTheta(theta: Float64Array, logTaus: ArrayLike<number>): Float64Array {
    const position = new Float64Array(d);
    position.set(theta);
    position.set(Array.from(logTaus), m);
    for (const { at, lower, width } of bounded) {
      const share = (theta[at]! - lower) / width;
      position[at] = Math.log(share / (1 - share));
    }
    for (const pool of pools) pool.fromTheta(theta, position);
    return position;
  }

  return {
    dimension: d,
    toTheta,
    pullBack,
    pullBackHessian,
    constrain,
    fromTheta,
    scaleSlopes: (position, variances) => pools.map((pool) => pool.marginalSlope(position, variances)),
  };
}

function boundedEntries(layout: Layout): BoundedEntry[] {
  return layout.priors.flatMap((prior, at) =>
    prior?.kind === 'uniform' && layout.links[at] === 'identity'
      ? [{ at, lower: prior.lower, width: prior.upper - prior.lower }]
      : [],
  );
}

function compilePlain(layout: Layout) {
  const m = layout.size;
  const means = new Float64Array(m);
  const precisions = new Float64Array(m);
  const others: number[] = [];
  layout.priors.forEach((prior, i) => {
    const isCoefficient = layout.links[i] === 'identity';
    if (prior === null || (isCoefficient && (prior.kind === 'uniform' || prior.kind === 'flat'))) return;
    if (isCoefficient && prior.kind === 'normal') {
      means[i] = prior.mean;
      precisions[i] = 1 / (prior.sd * prior.sd);
    } else others.push(i);
  });
  const termOf = (i: number, theta: Float64Array) => {
    const link = layout.links[i]!;
    return link === 'identity'
      ? priorTerm(layout.priors[i]!, theta[i]!)
      : priorOnLink(layout.priors[i]!, link, theta[i]!);
  };
  return {
    add(theta: Float64Array, gradient: Float64Array): number {
      let value = 0;
      for (let i = 0; i < m; i++) {
        const pull = precisions[i]! * (theta[i]! - means[i]!);
        gradient[i]! -= pull;
        value -= 0.5 * pull * (theta[i]! - means[i]!);
      }
      for (const i of others) {
        const term = termOf(i, theta);
        gradient[i]! += term.slope;
        value += term.value;
      }
      return value;
    },
    subtractCurvature(theta: Float64Array, hessian: Float64Array, stride: number): void {
      for (let i = 0; i < m; i++) hessian[i * stride + i]! += precisions[i]!;
      for (const i of others) hessian[i * stride + i]! -= termOf(i, theta).curvature;
    },
  };
}

function pooled({ members, sds, scale }: PoolLayout, tau: number, centring: Float64Array | null) {
  const lambda = Float64Array.from(members, (at) => centring?.[at] ?? 1);
  const slopeOf = (j: number, logTau: number) => sds[j]! * Math.exp((1 - lambda[j]!) * logTau);
  return {
    toTheta(position: Float64Array, theta: Float64Array): void {
      for (let j = 0; j < members.length; j++) theta[members[j]!] = slopeOf(j, position[tau]!) * position[members[j]!]!;
    },
    fromTheta(theta: Float64Array, position: Float64Array): void {
      for (let j = 0; j < members.length; j++) {
        position[members[j]!] = theta[members[j]!]! / slopeOf(j, position[tau]!);
      }
    },
    /**
     * Fisher's identity: Σ E[(β/(τ sd))²] - 1, centred. Its derivative is twice the number of members that the data
     * determine (MacKay 1992).
     */
    marginalSlope(position: Float64Array, variances: Float64Array): { slope: number; curvature: number } {
      const logTau = position[tau]!;
      const prior = priorOnLink(scale, 'log', logTau);
      let slope = prior.slope;
      let determined = 0;
      for (let j = 0; j < members.length; j++) {
        const at = members[j]!;
        const precision = Math.exp(-2 * lambda[j]! * logTau);
        slope += (position[at]! * position[at]! + variances[at]!) * precision - 1;
        determined += Math.max(0, 1 - variances[at]! * precision);
      }
      return { slope, curvature: Math.max(MIN_CURVATURE, 2 * determined - prior.curvature) };
    },
    pullBack(position: Float64Array, theta: Float64Array, gTheta: Float64Array, gradient: Float64Array): number {
      const logTau = position[tau]!;
      const prior = priorOnLink(scale, 'log', logTau);
      let value = prior.value;
      let slope = prior.slope;
      for (let j = 0; j < members.length; j++) {
        const at = members[j]!;
        const l = lambda[j]!;
        const z = position[at]!;
        const precision = Math.exp(-2 * l * logTau);
        gradient[at] = gTheta[at]! * slopeOf(j, logTau) - z * precision;
        slope += gTheta[at]! * (1 - l) * theta[at]! + l * (z * z * precision - 1);
        value -= l * logTau + 0.5 * z * z * precision;
      }
      gradient[tau] = slope;
      return value;
    },
    /** Must precede other scales' rows. */
    addScaleColumn(theta: Float64Array, hessian: Float64Array, d: number): void {
      for (let i = 0; i < d; i++) {
        let entry = 0;
        for (let j = 0; j < members.length; j++) {
          entry += hessian[i * d + members[j]!]! * (1 - lambda[j]!) * theta[members[j]!]!;
        }
        hessian[i * d + tau] = entry;
        hessian[tau * d + i] = entry;
      }
      let diagonal = 0;
      for (let j = 0; j < members.length; j++) {
        diagonal += hessian[tau * d + members[j]!]! * (1 - lambda[j]!) * theta[members[j]!]!;
      }
      hessian[tau * d + tau] = diagonal;
    },
    /** Includes the curvature of the map and the prior. */
    scaleRows(
      position: Float64Array,
      gTheta: Float64Array,
      theta: Float64Array,
      hessian: Float64Array,
      d: number,
    ): void {
      const logTau = position[tau]!;
      let own = -priorOnLink(scale, 'log', logTau).curvature;
      for (let j = 0; j < members.length; j++) {
        const at = members[j]!;
        const l = lambda[j]!;
        const z = position[at]!;
        const slope = slopeOf(j, logTau);
        const precision = Math.exp(-2 * l * logTau);
        scaleRowAndColumn(hessian, d, at, slope);
        hessian[at * d + at]! += precision;
        const cross = -gTheta[at]! * (1 - l) * slope - 2 * l * z * precision;
        hessian[at * d + tau]! += cross;
        hessian[tau * d + at]! += cross;
        own += 2 * l * l * z * z * precision - gTheta[at]! * (1 - l) * (1 - l) * theta[at]!;
      }
      hessian[tau * d + tau]! += own;
    },
  };
}

function scaleRowAndColumn(matrix: Float64Array, d: number, at: number, factor: number): void {
  for (let i = 0; i < d; i++) {
    matrix[i * d + at]! *= factor;
    matrix[at * d + i]! *= factor;
  }
}
