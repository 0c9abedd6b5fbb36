import { type Node, scalar, type Tensor } from './graph.ts';
import { add } from './operators/elementwise.ts';
import { expand, reshape, zeros } from './operators/shapes.ts';

/** Adds gradients of scalar `loss` by `of` to the graph. */
export function differentiate(loss: Tensor, of: readonly Tensor[]): Tensor[] {
  const { graph } = loss;
  const nodes = [...graph.nodes];
  const asked = dependents(nodes, of);
  const gradients = new Map<number, Tensor>();
  const one = scalar(graph, 1);
  gradients.set(
    loss.id,
    expand(
      reshape(
        one,
        loss.shape.map(() => 1),
      ),
      loss.shape,
    ),
  );
  for (const node of nodes.toReversed()) flowBack(node, asked, gradients);
  return of.map((tensor) => gradients.get(tensor.id) ?? zeros(tensor));
}

function dependents(nodes: readonly Node[], of: readonly Tensor[]): Set<number> {
  const asked = new Set(of.map(({ id }) => id));
  for (const { inputs, outputs } of nodes) {
    if (inputs.some(({ id }) => asked.has(id))) for (const { id } of outputs) asked.add(id);
  }
  return asked;
}

function flowBack(node: Node, asked: ReadonlySet<number>, gradients: Map<number, Tensor>): void {
  const outputGradients = node.outputs.map(({ id }) => gradients.get(id) ?? null);
  const isAsked = node.inputs.map(({ id }) => asked.has(id));
  if (!isAsked.includes(true) || outputGradients.every((gradient) => gradient === null)) return;
  const own = node.operator.gradient?.({ ...node, outputGradients, isAsked });
  own?.forEach((gradient, k) => {
    if (!gradient || !isAsked[k]) return;
    const { id } = node.inputs[k]!;
    const before = gradients.get(id);
    gradients.set(id, before ? add(before, gradient) : gradient);
  });
}
