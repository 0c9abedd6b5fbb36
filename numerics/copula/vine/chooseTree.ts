/** Chooses the edges of a tree among its candidates. Shapes: m nodes; a tree has m-1 edges. */
import type { Candidate } from './tree.ts';

/** Prim's (1957) maximum spanning tree; of equal weights the first candidate. */
export function maximumSpanningTree(nodes: number, candidates: readonly Candidate[], weights: Float64Array) {
  const touching: number[][] = Array.from({ length: nodes }, () => []);
  candidates.forEach(({ a, b }, at) => {
    touching[a]!.push(at);
    touching[b]!.push(at);
  });
  const inside = new Uint8Array(nodes);
  const best = new Int32Array(nodes).fill(-1);
  const chosen: Candidate[] = [];
  let node = 0;
  while (chosen.length < nodes - 1) {
    inside[node] = 1;
    for (const at of touching[node]!) {
      const other = candidates[at]!.a === node ? candidates[at]!.b : candidates[at]!.a;
      if (best[other]! < 0 || weights[at]! > weights[best[other]!]!) best[other] = at;
    }
    node = -1;
    for (let k = 0; k < nodes; k++) {
      if (inside[k] || best[k]! < 0) continue;
      if (node < 0 || weights[best[k]!]! > weights[best[node]!]!) node = k;
    }
    chosen.push(candidates[best[node]!]!);
  }
  return chosen;
}

/** The star of greatest total weight. */
export function heaviestStar(nodes: number, candidates: readonly Candidate[], weights: Float64Array): Candidate[] {
  const totals = new Float64Array(nodes);
  candidates.forEach(({ a, b }, at) => {
    totals[a]! += weights[at]!;
    totals[b]! += weights[at]!;
  });
  const root = totals.reduce((best, total, k) => (total > totals[best]! ? k : best), 0);
  return candidates.filter(({ a, b }) => a === root || b === root);
}

/** A heavy path: each node is put where the path gains most, the node first that gains most. */
export function heavyPath(nodes: number, candidates: readonly Candidate[], weights: Float64Array): Candidate[] {
  const between = new Map(candidates.map((candidate, at) => [candidate.a * nodes + candidate.b, at]));
  const indexOf = (a: number, b: number) => between.get(Math.min(a, b) * nodes + Math.max(a, b))!;
  const weight = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? 0 : weights[indexOf(a, b)]!;
  const start = weights.reduce((best, value, at) => (value > weights[best]! ? at : best), 0);
  const path = [candidates[start]!.a, candidates[start]!.b];
  const left = new Set(Array.from({ length: nodes }, (_, k) => k).filter((k) => !path.includes(k)));
  while (left.size > 0) {
    let best = { gain: Number.NEGATIVE_INFINITY, node: -1, place: 0 };
    for (const node of left) {
      for (let place = 0; place <= path.length; place++) {
        const [before, after] = [path[place - 1], path[place]];
        const gain = weight(before, node) + weight(node, after) - weight(before, after);
        if (gain > best.gain) best = { gain, node, place };
      }
    }
    path.splice(best.place, 0, best.node);
    left.delete(best.node);
  }
  return path.slice(1).map((node, k) => candidates[indexOf(path[k]!, node)]!);
}
