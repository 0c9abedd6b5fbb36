/**
 * NUTS as the papers write it: plain recursion, a new array for every vector (Betancourt 2017, A.3 and A.4; the seam checks
 * of Stan). Slow and legible: what `nuts.ts` is held against.
 */
import {
  energyOf,
  type Integrator,
  type LogDensity,
  type Metric,
  type PhasePoint,
} from '../../../packages/numerics/mcmc/hamiltonian.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';

type Vector = readonly number[];

interface Tree {
  /** From back to front in time. */
  back: PhasePoint;
  front: PhasePoint;
  momentumSum: Vector;
  weight: number;
  proposal: PhasePoint;
}

const add = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]!);
const copy = (point: PhasePoint): PhasePoint => structuredClone(point);
const logAdd = (a: number, b: number): number =>
  Math.max(a, b) === -Infinity ? -Infinity : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

export function plainTransition(
  density: LogDensity,
  metric: Metric,
  integrator: Integrator,
  current: PhasePoint,
  step: number,
  random: RandomStream,
  maxDepth: number,
): { point: PhasePoint; depth: number; diverging: boolean } {
  const start = copy(current);
  start.momentum = start.momentum.map((_, i) => random.normal() / Math.sqrt(metric.variance[i]!));
  const startEnergy = energyOf(metric, start);
  let diverging = false;

  const velocity = (p: Float64Array): number[] => Array.from(p, (x, i) => metric.variance[i]! * x);
  const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const persists = (sum: Vector, a: Float64Array, b: Float64Array): boolean =>
    dot(sum, velocity(a)) > 0 && dot(sum, velocity(b)) > 0;

  const leaf = (from: PhasePoint, direction: number): Tree | undefined => {
    const point = copy(from);
    const loss = integrator(density, metric, point, direction * step) - startEnergy;
    if (!(loss <= 1000)) {
      diverging = true;
      return undefined;
    }
    return { back: point, front: point, momentumSum: [...point.momentum], weight: -loss, proposal: point };
  };
  const unite = (back: Tree, front: Tree, proposal: PhasePoint): { tree: Tree; hasNoUTurn: boolean } => {
    const momentumSum = add(back.momentumSum, front.momentumSum);
    const tree = {
      back: back.back,
      front: front.front,
      momentumSum,
      weight: logAdd(back.weight, front.weight),
      proposal,
    };
    const [a, b, c, d] = [back.back.momentum, back.front.momentum, front.back.momentum, front.front.momentum];
    const hasNoUTurn =
      persists(momentumSum, a, d) &&
      persists(add(back.momentumSum, [...c]), a, c) &&
      persists(add(front.momentumSum, [...b]), b, d);
    return { tree, hasNoUTurn };
  };
  const grow = (depth: number, from: PhasePoint, direction: number): Tree | undefined => {
    if (depth === 0) return leaf(from, direction);
    const near = grow(depth - 1, from, direction);
    if (!near) return undefined;
    const far = grow(depth - 1, direction > 0 ? near.front : near.back, direction);
    if (!far) return undefined;
    const takeFar = random.uniform() < Math.exp(far.weight - logAdd(near.weight, far.weight));
    const proposal = takeFar ? far.proposal : near.proposal;
    const { tree, hasNoUTurn } = direction > 0 ? unite(near, far, proposal) : unite(far, near, proposal);
    return hasNoUTurn ? tree : undefined;
  };

  let tree: Tree = { back: start, front: start, momentumSum: [...start.momentum], weight: 0, proposal: start };
  for (let depth = 0; depth < maxDepth; depth++) {
    const direction = random.uniform() < 0.5 ? 1 : -1;
    const grown = grow(depth, direction > 0 ? tree.front : tree.back, direction);
    if (!grown) return { point: tree.proposal, depth, diverging };
    const take = grown.weight > tree.weight || random.uniform() < Math.exp(grown.weight - tree.weight);
    const proposal = take ? grown.proposal : tree.proposal;
    const united = direction > 0 ? unite(tree, grown, proposal) : unite(grown, tree, proposal);
    tree = united.tree;
    if (!united.hasNoUTurn) return { point: tree.proposal, depth: depth + 1, diverging };
  }
  return { point: tree.proposal, depth: maxDepth, diverging };
}
