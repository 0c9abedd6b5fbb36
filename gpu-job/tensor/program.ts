/** A program: one step of a graph, run many times; state goes from each step to the next. */
import type { Graph, Node, Tensor } from './graph.ts';

/** A piece of state: the input that a step reads, and what the next step finds there. */
export interface StateLink {
  readonly input: string;
  readonly next: Tensor;
}

export interface Program {
  readonly graph: Graph;
  /** Inputs that stay the same over all steps and calls: given once, kept where they are used. */
  readonly frozen: readonly string[];
  /** Inputs of which each step takes its own: fed with one leading axis more, over the steps. */
  readonly perStep: readonly string[];
  readonly state: readonly StateLink[];
  /** What every step tells, by name; results have one leading axis more, over the steps. */
  readonly reports: Readonly<Record<string, Tensor>>;
}

/** The input of a name. Throws RangeError where the graph has none. */
export function inputOf({ graph }: Pick<Program, 'graph'>, name: string): Tensor {
  const tensor = graph.inputs.get(name);
  if (!tensor) throw new RangeError(`the graph has no input ${JSON.stringify(name)}`);
  return tensor;
}

/** The nodes that state and reports depend on, in order, and the ids of all tensors there. */
export function neededNodes({ graph, state, reports }: Program): { needed: Node[]; ids: Set<number> } {
  const results = [...state.map(({ next }) => next), ...Object.values(reports)];
  const ids = new Set(results.map(({ id }) => id));
  const needed = graph.nodes.toReversed().filter(({ inputs, outputs }) => {
    if (!outputs.some(({ id }) => ids.has(id))) return false;
    for (const { id } of inputs) ids.add(id);
    return true;
  });
  return { needed: needed.toReversed(), ids };
}
