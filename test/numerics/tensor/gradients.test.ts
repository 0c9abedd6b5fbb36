import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { differentiate } from '../../../packages/numerics/tensor/differentiate.ts';
import { applyNodes, tfType } from '../../../packages/numerics/tensor/engines/tfjs.ts';
import {
  constant,
  createGraph,
  input,
  neededNodes,
  OPERATOR_NAMES,
  sizeOf,
  type Tensor,
} from '../../../packages/numerics/tensor/graph.ts';
import { add, multiply } from '../../../packages/numerics/tensor/operators/elementwise.ts';
import { sumAll } from '../../../packages/numerics/tensor/operators/shapes.ts';
import { OPERATOR_CASES, type OperatorCase } from './support/operatorCases.ts';
import { evaluate } from './support/slowEngine.ts';

const random = createStream(1, 'gradients');

/** A graph whose loss weighs every entry of the operator's results by another number. */
function build({ floats, index, apply, centre = 0 }: OperatorCase) {
  const graph = createGraph();
  const inputs = floats.map((shape, k) => input(graph, `x${k}`, shape));
  const values = Object.fromEntries(
    floats.map((shape, k) => [
      `x${k}`,
      Float64Array.from({ length: sizeOf(shape) }, () => centre + random.normal() / 2),
    ]),
  );
  const results = apply(inputs, constant(graph, Int32Array.from(index ?? [0]), [index?.length ?? 1]));
  const weigh = (x: Tensor): Tensor =>
    sumAll(
      multiply(
        x,
        constant(
          graph,
          Float32Array.from({ length: sizeOf(x.shape) }, () => random.normal()),
          x.shape,
        ),
      ),
    );
  return { inputs, values, loss: results.map(weigh).reduce((a, b) => add(a, b)) };
}

const cases = OPERATOR_CASES.filter(({ hasGradient }) => hasGradient !== false);

describe('reverse-mode differentiation', () => {
  beforeAll(() => tf.setBackend('cpu'));

  it('has a case for every operator', () => {
    expect(new Set(OPERATOR_CASES.map(({ operator }) => operator))).toEqual(new Set(OPERATOR_NAMES));
  });

  it.each(cases)('agrees with central differences: $title', (own) => {
    const { inputs, values, loss } = build(own);
    const gradients = evaluate(differentiate(loss, inputs), values);
    // Double precision: the error of a central difference is near step² and 1e-16 / step.
    const step = 1e-5;
    Object.entries(values).forEach(([name, entries], k) => {
      entries.forEach((entry, at) => {
        const lossAt = (x: number): number =>
          evaluate([loss], { ...values, [name]: entries.with(at, x) })[0]!.entries[0]!;
        const slope = (lossAt(entry + step) - lossAt(entry - step)) / (2 * step);
        expect(gradients[k]!.entries[at]).toBeCloseTo(slope, 6);
      });
    });
  });

  it.each(cases)('agrees with TensorFlow.js: $title', async (own) => {
    const { inputs, values, loss } = build(own);
    const theirs = await gradientsByTfjs(inputs, Object.values(values), loss);
    const ours = evaluate(differentiate(loss, inputs), values);
    theirs.forEach((gradient, k) => {
      gradient.forEach((entry, at) => {
        // Single precision: seven digits, of sums of a few dozen terms.
        expect(Math.abs(entry - ours[k]!.entries[at]!)).toBeLessThan(1e-4 * (1 + Math.abs(entry)));
      });
    });
  });

  it('gives zeros for what the loss does not depend on, and sums over two uses', () => {
    const graph = createGraph();
    const [x, other] = [input(graph, 'x', [2]), input(graph, 'other', [3])];
    const gradients = differentiate(sumAll(add(multiply(x, x), x)), [x, other]);
    const [ofX, ofOther] = evaluate(gradients, { x: [3, -1], other: [1, 1, 1] });
    expect([...ofX!.entries]).toEqual([7, -1]);
    expect([...ofOther!.entries]).toEqual([0, 0, 0]);
  });
});

/** The same nodes by TensorFlow's kernels, under TensorFlow's own differentiation. */
async function gradientsByTfjs(
  inputs: Tensor[],
  entries: readonly Float64Array[],
  loss: Tensor,
): Promise<Float32Array[]> {
  const { graph } = loss;
  const { needed, ids } = neededNodes({ graph, frozen: [], perStep: [], state: [], reports: { loss } });
  const lossOf = (...own: tf.Tensor[]): tf.Scalar => {
    const values = new Map(inputs.map(({ id }, k) => [id, own[k]!]));
    for (const { tensor, values: fixed } of graph.constants) {
      if (ids.has(tensor.id)) values.set(tensor.id, tf.tensor(fixed, [...tensor.shape], tfType(tensor.type)));
    }
    applyNodes(tf, needed, values);
    return values.get(loss.id)!.asScalar();
  };
  const fed = inputs.map(({ shape }, k) => tf.tensor(Float32Array.from(entries[k]!), [...shape]));
  const gradients = tf.grads(lossOf)(fed);
  return Promise.all(gradients.map(async (gradient) => Float32Array.from(await gradient.data())));
}
