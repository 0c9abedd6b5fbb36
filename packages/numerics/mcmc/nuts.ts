/**
 * No-U-turn sampler with multinomial sampling (Hoffman and Gelman 2014; Betancourt 2017), as in Stan: uniform
 * progressive within subtrees, biased between them. Transitions do not allocate.
 */
import type { RandomStream } from '../random/stream.ts';
import { logAddExp } from '../special/logistic.ts';
import {
  copyPoint,
  createPoint,
  energyOf,
  type Integrator,
  type LogDensity,
  type Metric,
  type PhasePoint,
} from './hamiltonian.ts';

/** Maximum energy increase. */
const DIVERGENCE_ENERGY = 1000;

export const MAX_DEPTH = 10;

/** Overwritten by the next transition. */
export interface Transition {
  /** Mean of min(1, exp(H₀ - H)). */
  acceptance: number;
  /** Completed doublings. */
  depth: number;
  leapfrogs: number;
  diverging: boolean;
  energy: number;
}

interface Proposal {
  position: Float64Array;
  gradient: Float64Array;
  logDensity: number;
  energy: number;
}

interface Subtree extends Span {
  /** log Σ exp(H₀ - H). */
  logWeight: number;
  proposal: Proposal;
}

const createProposal = (dimension: number): Proposal => ({
  position: new Float64Array(dimension),
  gradient: new Float64Array(dimension),
  logDensity: Number.NaN,
  energy: Number.NaN,
});

const createSubtree = (dimension: number): Subtree => ({
  sum: new Float64Array(dimension),
  first: new Float64Array(dimension),
  last: new Float64Array(dimension),
  logWeight: Number.NEGATIVE_INFINITY,
  proposal: createProposal(dimension),
});

function swapProposals(a: Subtree, b: Subtree): void {
  const kept = a.proposal;
  a.proposal = b.proposal;
  b.proposal = kept;
}

export interface NutsParts {
  density: LogDensity;
  metric: Metric;
  integrator: Integrator;
  maxDepth: number;
}

export class Nuts {
  /** Position, gradient and density must agree initially. */
  readonly current: PhasePoint;
  readonly #parts: NutsParts;
  readonly #transition: Transition = { acceptance: 0, depth: 0, leapfrogs: 0, diverging: false, energy: 0 };
  /** Back and front. */
  readonly #ends: readonly [PhasePoint, PhasePoint];
  readonly #tree: Subtree;
  readonly #halves: readonly (readonly [Subtree, Subtree])[];
  readonly #grown: Subtree;
  #startEnergy = 0;
  #accepted = 0;

  constructor(parts: NutsParts) {
    const { dimension } = parts.density;
    this.#parts = parts;
    this.current = createPoint(dimension);
    this.#ends = [createPoint(dimension), createPoint(dimension)];
    this.#tree = createSubtree(dimension);
    this.#grown = createSubtree(dimension);
    this.#halves = Array.from({ length: parts.maxDepth }, () => [createSubtree(dimension), createSubtree(dimension)]);
  }

  /** p ~ N(0, diag(1/v)); returns the energy. */
  refreshMomentum(random: RandomStream): number {
    const { metric } = this.#parts;
    const { momentum } = this.current;
    for (let i = 0; i < momentum.length; i++) momentum[i] = random.normal() / Math.sqrt(metric.variance[i]!);
    return energyOf(metric, this.current);
  }

  /** Draws once. `step` is positive. */
  transition(step: number, random: RandomStream, maxDepth = this.#parts.maxDepth): Transition {
    this.#begin(this.refreshMomentum(random));
    const { metric } = this.#parts;
    const tree = this.#tree;
    const grown = this.#grown;
    const outcome = this.#transition;
    while (outcome.depth < maxDepth) {
      const forward = random.uniform() < 0.5;
      if (!this.#grow(outcome.depth, forward ? step : -step, grown, random)) break;
      outcome.depth++;
      if (grown.logWeight > tree.logWeight || random.uniform() < Math.exp(grown.logWeight - tree.logWeight)) {
        swapProposals(tree, grown);
      }
      tree.logWeight = logAddExp(tree.logWeight, grown.logWeight);
      if (!this.#join(metric.variance, forward)) break;
    }
    return this.#finish();
  }

  #begin(energy: number): void {
    const { current } = this;
    const tree = this.#tree;
    copyPoint(current, this.#ends[0]);
    copyPoint(current, this.#ends[1]);
    this.#note(tree, current, energy);
    tree.logWeight = 0;
    this.#startEnergy = energy;
    this.#accepted = 0;
    const outcome = this.#transition;
    outcome.depth = 0;
    outcome.leapfrogs = 0;
    outcome.diverging = false;
  }

  #note(tree: Subtree, point: PhasePoint, energy: number): void {
    const { proposal } = tree;
    tree.sum.set(point.momentum);
    tree.first.set(point.momentum);
    tree.last.set(point.momentum);
    proposal.position.set(point.position);
    proposal.gradient.set(point.gradient);
    proposal.logDensity = point.logDensity;
    proposal.energy = energy;
  }

  /** Returns false after a U-turn. */
  #join(variance: Float64Array, forward: boolean): boolean {
    const tree = this.#tree;
    const grown = this.#grown;
    if (!forward) this.#reverse();
    const goes = hasNoUTurn(variance, tree, grown, tree.sum);
    const { last } = tree;
    tree.last = grown.last;
    grown.last = last;
    if (!forward) this.#reverse();
    return goes;
  }

  #reverse(): void {
    const tree = this.#tree;
    const { first } = tree;
    tree.first = tree.last;
    tree.last = first;
  }

  /** Grows 2^depth points; false after divergence or a U-turn. */
  #grow(depth: number, step: number, out: Subtree, random: RandomStream): boolean {
    if (depth === 0) return this.#leaf(step, out);
    const [left, right] = this.#halves[depth - 1]!;
    if (!this.#grow(depth - 1, step, left, random)) return false;
    if (!this.#grow(depth - 1, step, right, random)) return false;
    out.logWeight = logAddExp(left.logWeight, right.logWeight);
    const chosen = random.uniform() < Math.exp(right.logWeight - out.logWeight) ? right : left;
    swapProposals(out, chosen);
    const goes = hasNoUTurn(this.#parts.metric.variance, left, right, out.sum);
    const { first, last } = out;
    out.first = left.first;
    left.first = first;
    out.last = right.last;
    right.last = last;
    return goes;
  }

  #leaf(step: number, out: Subtree): boolean {
    const { density, metric, integrator } = this.#parts;
    const end = this.#ends[step > 0 ? 1 : 0];
    const energy = integrator(density, metric, end, step);
    const outcome = this.#transition;
    outcome.leapfrogs++;
    const loss = energy - this.#startEnergy;
    if (!(loss <= DIVERGENCE_ENERGY)) {
      outcome.diverging = true;
      return false;
    }
    this.#accepted += loss > 0 ? Math.exp(-loss) : 1;
    out.logWeight = -loss;
    this.#note(out, end, energy);
    return true;
  }

  #finish(): Transition {
    const { proposal } = this.#tree;
    const { current } = this;
    current.position.set(proposal.position);
    current.gradient.set(proposal.gradient);
    current.logDensity = proposal.logDensity;
    const outcome = this.#transition;
    outcome.energy = proposal.energy;
    outcome.acceptance = this.#accepted / Math.max(1, outcome.leapfrogs);
    return outcome;
  }
}

// Generalised U-turn criterion (Betancourt 2017, A.4.2), also across seams, as in Stan.

/** Momenta in build order. */
export interface Span {
  sum: Float64Array;
  first: Float64Array;
  last: Float64Array;
}

/** Checks the whole and the seam. Writes Σ p into `sum`, which may be `left.sum`. */
export function hasNoUTurn(variance: Float64Array, left: Span, right: Span, sum: Float64Array): boolean {
  const { sum: leftSum, first: leftFirst, last: leftLast } = left;
  const { sum: rightSum, first: rightFirst, last: rightLast } = right;
  let atStart = 0;
  let atEnd = 0;
  let seamStart = 0;
  let seamIn = 0;
  let seamOut = 0;
  let seamEnd = 0;
  for (let i = 0; i < variance.length; i++) {
    const v = variance[i]!;
    const ls = leftSum[i]!;
    const rs = rightSum[i]!;
    const lf = leftFirst[i]!;
    const ll = leftLast[i]!;
    const rf = rightFirst[i]!;
    const rl = rightLast[i]!;
    const whole = v * (ls + rs);
    const head = v * (ls + rf);
    const tail = v * (ll + rs);
    sum[i] = ls + rs;
    atStart += whole * lf;
    atEnd += whole * rl;
    seamStart += head * lf;
    seamIn += head * rf;
    seamOut += tail * ll;
    seamEnd += tail * rl;
  }
  return atStart > 0 && atEnd > 0 && seamStart > 0 && seamIn > 0 && seamOut > 0 && seamEnd > 0;
}
