import { cellMap } from './junctionTree.ts';
import { type MarkovModel, marginalOf } from './markovModel.ts';

interface Edge {
  to: number;
  own: Int32Array;
  other: Int32Array;
  between: Float64Array;
}

/** Visits all pairs i < j, even across cliques; j is fastest in `probabilities`. */
export async function eachPair(
  model: MarkovModel,
  found: (i: number, j: number, probabilities: Float64Array) => void,
  yieldToEventLoop: () => Promise<void> = async () => {},
): Promise<void> {
  const edges = edgesOf(model);
  for (const i of model.sizes.keys()) {
    await yieldToEventLoop();
    const root = model.home([i]);
    const done = new Set([i]);
    const { variables, belief } = model.nodes[root]!;
    for (const j of variables) {
      if (j > i) found(i, j, marginalOf(model, [i, j]));
      done.add(j);
    }
    walk(model, edges, { i, root, belief, done, found });
  }
}

function edgesOf(model: MarkovModel): Edge[][] {
  const edges: Edge[][] = model.nodes.map(() => []);
  for (const [at, { parent, own, ofParent, between }] of model.nodes.entries()) {
    if (at === 0) continue;
    edges[at]!.push({ to: parent, own, other: ofParent, between });
    edges[parent]!.push({ to: at, own: ofParent, other: own, between });
  }
  return edges;
}

interface Walk {
  i: number;
  root: number;
  belief: Float64Array;
  done: Set<number>;
  found(i: number, j: number, probabilities: Float64Array): void;
}

/** Propagates the joint of i and each separator outwards. */
function walk(model: MarkovModel, edges: readonly Edge[][], { i, root, done, found }: Walk): void {
  const { sizes, nodes } = model;
  const size = sizes[i]!;
  const levels = cellMap(sizes, nodes[root]!.variables, [i]);
  const first = edges[root]!.map((edge) => ({
    edge,
    from: root,
    joint: jointAtRoot(nodes[root]!.belief, levels, edge, size),
  }));
  const open = [...first];
  for (let next = open.pop(); next; next = open.pop()) {
    const { edge, from, joint } = next;
    const { variables, belief } = nodes[edge.to]!;
    const onward = edges[edge.to]!.filter(({ to }) => to !== from);
    const fresh = variables.filter((variable) => !done.has(variable));
    const outs = fresh.map((j) => ({ j, map: model.mapOf(edge.to, [j]), out: new Float64Array(size * sizes[j]!) }));
    const joints = onward.map((further) => new Float64Array(size * further.between.length));
    const conditional = conditionalOf(belief, edge);
    for (let level = 0; level < size; level++) {
      const weighted = weightedBy(conditional, joint, level * edge.between.length, edge.other);
      for (const { j, map, out } of outs) if (j > i) gather(weighted, map, out, level * sizes[j]!);
      for (const [at, further] of onward.entries())
        gather(weighted, further.own, joints[at]!, level * further.between.length);
    }
    for (const { j, out } of outs) {
      done.add(j);
      if (j > i) found(i, j, out);
    }
    for (const [at, further] of onward.entries()) open.push({ edge: further, from: edge.to, joint: joints[at]! });
  }
}

function jointAtRoot(belief: Float64Array, levels: Int32Array, { own, between }: Edge, size: number): Float64Array {
  const out = new Float64Array(size * between.length);
  for (let cell = 0; cell < belief.length; cell++) out[levels[cell]! * between.length + own[cell]!]! += belief[cell]!;
  return out;
}

function conditionalOf(belief: Float64Array, { other, between }: Edge): Float64Array {
  const out = belief.slice();
  for (let cell = 0; cell < out.length; cell++) {
    const s = between[other[cell]!]!;
    out[cell] = s > 0 ? out[cell]! / s : 0;
  }
  return out;
}

function weightedBy(conditional: Float64Array, joint: Float64Array, from: number, map: Int32Array): Float64Array {
  const out = new Float64Array(conditional.length);
  for (let cell = 0; cell < out.length; cell++) out[cell] = conditional[cell]! * joint[from + map[cell]!]!;
  return out;
}

function gather(values: Float64Array, map: Int32Array, out: Float64Array, from: number): void {
  for (let cell = 0; cell < values.length; cell++) out[from + map[cell]!]! += values[cell]!;
}
