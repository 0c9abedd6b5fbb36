/**
 * A distribution of d variables by the potentials of some of its marginals, p ∝ exp(Σ θ): beliefs of the cliques of a
 * junction tree, kept calibrated (Lauritzen and Spiegelhalter; Hugin), so that each is a marginal of the distribution.
 */
import { buildJunctionTree, type Clique, cellCount, cellMap } from './junctionTree.ts';

/** The last variable of `scope` is fastest. */
export interface Potential {
  scope: readonly number[];
  theta: Float64Array;
}

interface Node extends Clique {
  belief: Float64Array;
  own: Int32Array;
  ofParent: Int32Array;
  between: Float64Array;
}

export interface MarkovModel {
  sizes: readonly number[];
  nodes: readonly Node[];
  /** Throws a RangeError if no clique contains the scope. */
  home(scope: readonly number[]): number;
  mapOf(node: number, scope: readonly number[]): Int32Array;
}

/** Scopes must not be empty. */
export function createMarkovModel(sizes: readonly number[], potentials: readonly Potential[]): MarkovModel {
  const tree = buildJunctionTree(
    sizes,
    potentials.map(({ scope }) => scope),
  );
  const model = modelOf(sizes, emptyNodes(sizes, tree));
  const { nodes } = model;
  for (const { scope, theta } of potentials) {
    const at = model.home(scope);
    const map = model.mapOf(at, scope);
    const { belief } = nodes[at]!;
    for (let cell = 0; cell < belief.length; cell++) belief[cell]! += theta[map[cell]!]!;
  }
  calibrateLogs(nodes);
  return model;
}

const emptyNodes = (sizes: readonly number[], tree: readonly Clique[]): Node[] =>
  tree.map(({ variables, parent, separator }): Node => {
    const above = tree[parent];
    const cells = cellCount(sizes, variables);
    return {
      variables,
      parent,
      separator,
      cells,
      belief: new Float64Array(cells),
      own: cellMap(sizes, variables, separator),
      ofParent: above ? cellMap(sizes, above.variables, separator) : new Int32Array(0),
      between: new Float64Array(cellCount(sizes, separator)),
    };
  });

function modelOf(sizes: readonly number[], nodes: readonly Node[]): MarkovModel {
  const maps = new Map<string, Int32Array>();
  return {
    sizes,
    nodes,
    home(scope) {
      let at = -1;
      for (const [other, { variables, cells }] of nodes.entries()) {
        if (at >= 0 && cells >= nodes[at]!.cells) continue;
        if (scope.every((variable) => variables.includes(variable))) at = other;
      }
      if (at < 0) throw new RangeError(`no clique has the variables ${scope.join(', ')}`);
      return at;
    },
    mapOf(node, scope) {
      const key = `${node}:${scope.join()}`;
      const map = maps.get(key) ?? cellMap(sizes, nodes[node]!.variables, scope);
      maps.set(key, map);
      return map;
    },
  };
}

/** Uses logarithms, since potentials may differ widely. */
function calibrateLogs(nodes: readonly Node[]): void {
  const messages = nodes.map(({ between }) => new Float64Array(between.length));
  for (let at = nodes.length - 1; at > 0; at--) {
    const { belief, own, parent, ofParent } = nodes[at]!;
    const message = messages[at]!;
    logSums(belief, own, message);
    const above = nodes[parent]!.belief;
    for (let cell = 0; cell < above.length; cell++) above[cell]! += message[ofParent[cell]!]!;
  }
  for (const [at, { belief, own, parent, ofParent, between }] of nodes.entries()) {
    if (at > 0) {
      // Divides the upward message out of the downward one.
      marginalise(nodes[parent]!.belief, ofParent, between);
      const message = messages[at]!;
      for (let cell = 0; cell < belief.length; cell++) {
        const s = own[cell]!;
        belief[cell] = between[s]! > 0 ? Math.exp(belief[cell]! - message[s]!) * between[s]! : 0;
      }
    } else normaliseLogs(belief);
  }
  for (const { belief, own, between } of nodes) marginalise(belief, own, between);
}

function logSums(logs: Float64Array, map: Int32Array, out: Float64Array): void {
  const most = new Float64Array(out.length).fill(Number.NEGATIVE_INFINITY);
  for (let cell = 0; cell < logs.length; cell++) most[map[cell]!] = Math.max(most[map[cell]!]!, logs[cell]!);
  out.fill(0);
  for (let cell = 0; cell < logs.length; cell++) out[map[cell]!]! += Math.exp(logs[cell]! - most[map[cell]!]!);
  for (let s = 0; s < out.length; s++) out[s] = Math.log(out[s]!) + most[s]!;
}

function normaliseLogs(belief: Float64Array): void {
  const most = belief.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let cell = 0; cell < belief.length; cell++) sum += belief[cell] = Math.exp(belief[cell]! - most);
  for (let cell = 0; cell < belief.length; cell++) belief[cell]! /= sum;
}

function marginalise(belief: Float64Array, map: Int32Array, out: Float64Array): void {
  out.fill(0);
  for (let cell = 0; cell < belief.length; cell++) out[map[cell]!]! += belief[cell]!;
}

export function marginalOf(model: MarkovModel, scope: readonly number[]): Float64Array {
  const at = model.home(scope);
  const out = new Float64Array(scope.reduce((cells, variable) => cells * model.sizes[variable]!, 1));
  marginalise(model.nodes[at]!.belief, model.mapOf(at, scope), out);
  return out;
}

/** Call `recalibrate` afterwards. */
export function multiply(model: MarkovModel, scope: readonly number[], factors: Float64Array): void {
  const at = model.home(scope);
  const map = model.mapOf(at, scope);
  const { belief } = model.nodes[at]!;
  for (let cell = 0; cell < belief.length; cell++) belief[cell]! *= factors[map[cell]!]!;
}

export function recalibrate({ nodes }: MarkovModel): void {
  for (let at = nodes.length - 1; at > 0; at--) {
    const { belief, own, between, parent, ofParent } = nodes[at]!;
    pass(belief, own, between, nodes[parent]!.belief, ofParent);
  }
  const root = nodes[0]!.belief;
  let sum = 0;
  for (let cell = 0; cell < root.length; cell++) sum += root[cell]!;
  for (let cell = 0; cell < root.length; cell++) root[cell]! /= sum;
  for (let at = 1; at < nodes.length; at++) {
    const { belief, own, between, parent, ofParent } = nodes[at]!;
    pass(nodes[parent]!.belief, ofParent, between, belief, own);
  }
}

/** Hugin message. */
function pass(from: Float64Array, fromMap: Int32Array, between: Float64Array, to: Float64Array, toMap: Int32Array) {
  const ratio = new Float64Array(between.length);
  marginalise(from, fromMap, ratio);
  for (let s = 0; s < ratio.length; s++) {
    const now = ratio[s]!;
    ratio[s] = between[s]! > 0 ? now / between[s]! : 0;
    between[s] = now;
  }
  for (let cell = 0; cell < to.length; cell++) to[cell]! *= ratio[toMap[cell]!]!;
}

/** Returns a function that restores the current state. */
export function snapshot({ nodes }: MarkovModel, potentials: readonly Potential[]): () => void {
  const kept = nodes.map(({ belief, between }) => [belief.slice(), between.slice()] as const);
  const thetas = potentials.map(({ theta }) => theta.slice());
  return () => {
    for (const [at, [belief, between]] of kept.entries()) {
      nodes[at]!.belief.set(belief);
      nodes[at]!.between.set(between);
    }
    for (const [at, theta] of thetas.entries()) potentials[at]!.theta.set(theta);
  };
}
