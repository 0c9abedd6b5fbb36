/** What every tensor engine keeps to. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { ADAM_DEFAULTS, adamRates, adamW, RATES, stateNames } from '../../../packages/numerics/tensor/adamW.ts';
import { differentiate } from '../../../packages/numerics/tensor/differentiate.ts';
import {
  createGraph,
  input,
  OPEN,
  type Program,
  type Shape,
  scalar,
  sizeOf,
  type TensorEngine,
} from '../../../packages/numerics/tensor/graph.ts';
import { add, multiply, scale, silu, subtract } from '../../../packages/numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../packages/numerics/tensor/operators/matrix.ts';
import { concat, reshape, split, sumAll } from '../../../packages/numerics/tensor/operators/shapes.ts';
import { OPERATOR_CASES } from './support/operatorCases.ts';
import { evaluate } from './support/slowEngine.ts';

const random = createStream(2, 'engines');
const normals = (length: number, centre = 0): Float32Array =>
  Float32Array.from({ length }, () => centre + random.normal() / 2);

const [N, D, H] = [8, 5, 7];
const SETTINGS = { ...ADAM_DEFAULTS, weightDecay: 0.1, clip: 0.5 };
const SHAPES: Readonly<Record<string, Shape>> = { first: [D, H], second: [H] };

/** Weights of the network, and its averages at zero. */
function beginning(): Record<string, Float32Array> {
  const out: Record<string, Float32Array> = {};
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const own of stateNames(name)) out[own] = new Float32Array(sizeOf(shape));
    out[name] = normals(sizeOf(shape));
  }
  return out;
}

/** A network of one hidden layer, trained by AdamW on a batch a step. */
function training(): Program {
  const graph = createGraph();
  const x = input(graph, 'x', [N, D]);
  const y = input(graph, 'y', [N, 1]);
  const tensors = Object.entries(SHAPES).map(([name, shape]) => input(graph, name, shape));
  const error = subtract(matMul(silu(matMul(x, tensors[0]!)), reshape(tensors[1]!, [H, 1])), y);
  const loss = scale(sumAll(multiply(error, error)), 1 / N);
  const gradients = differentiate(loss, tensors);
  const trained = Object.keys(SHAPES).map((name, k) => ({
    name,
    tensor: tensors[k]!,
    gradient: gradients[k]!,
    isDecayed: name === 'first',
  }));
  return { graph, frozen: ['y'], perStep: ['x', ...RATES], state: adamW(trained, SETTINGS), reports: { loss } };
}

export function engineSuite(title: string, open: () => Promise<TensorEngine>): void {
  describe(title, () => {
    let engine: TensorEngine;
    beforeAll(async () => {
      engine = await open();
    });

    it.each(OPERATOR_CASES)('agrees with the slow reference: $title', async ({ floats, index, apply, centre = 0 }) => {
      const graph = createGraph();
      const inputs = floats.map((shape, k) => input(graph, `x${k}`, shape));
      const indexTensor = input(graph, 'index', [index?.length ?? 1], 'int');
      const results = apply(inputs, indexTensor);
      const feeds = Object.fromEntries(floats.map((shape, k) => [`x${k}`, normals(sizeOf(shape), centre)]));
      const all = { ...feeds, index: Int32Array.from(index ?? [0]) };
      const reports = Object.fromEntries(results.map((tensor, k) => [`result ${k}`, tensor]));
      const executable = await engine.compile({ graph, frozen: [], perStep: Object.keys(all), state: [], reports }, {});
      const { reports: got } = await executable.run(all, 1);
      const expected = evaluate(results, all);
      expected.forEach(({ entries }, k) => {
        const own = got[`result ${k}`]!;
        expect(own.length).toBe(entries.length);
        // Single precision against double.
        for (const [at, entry] of entries.entries()) {
          expect(Math.abs(own[at]! - entry)).toBeLessThan(2e-6 * (1 + Math.abs(entry)));
        }
      });
      await executable.release();
    });

    it('takes inputs of any length along an open axis, and parts of it', async () => {
      const graph = createGraph();
      const x = input(graph, 'x', [2, OPEN, 3]);
      const longer = concat([x, input(graph, 'last', [2, 1, 3])], 1);
      const [before, last] = split(longer, [OPEN, 1], 1);
      const [first, after] = split(longer, [1, OPEN], 1);
      const reports = { before: scale(before!, 2), last: last!, first: first!, after: after! };
      const program = { graph, frozen: [], perStep: ['x', 'last'], state: [], reports };
      const executable = await engine.compile(program, {});
      const end = Float32Array.of(7, 8, 9, 10, 11, 12);
      for (const length of [1, 4]) {
        const own = normals(2 * length * 3);
        const rows = [own.subarray(0, 3 * length), own.subarray(3 * length)];
        const { reports: got } = await executable.run({ x: own, last: end }, 1);
        expect(got.before).toEqual(own.map((entry) => 2 * entry));
        expect(got.last).toEqual(end);
        expect([...got.first!]).toEqual(rows.flatMap((row) => [...row.subarray(0, 3)]));
        expect([...got.after!]).toEqual(
          rows.flatMap((row, k) => [...row.subarray(3), ...end.subarray(3 * k, 3 * k + 3)]),
        );
      }
      await executable.release();
    });

    it('follows the slow reference through ten steps of training, in one call or in two', async () => {
      const program = training();
      const rates = Float32Array.from({ length: 10 }, (_, k) => 0.05 / (1 + k));
      const [xs, y, start] = [normals(10 * N * D), normals(N), beginning()];
      const before = structuredClone(start);
      const executable = await engine.compile(program, { y });
      const whole = await executable.run({ ...start, x: xs, ...adamRates(SETTINGS, rates, 1) }, 10);
      const slow = slowTraining(program, start, xs, y, rates);
      for (const [k, loss] of whole.reports.loss!.entries()) expect(loss).toBeCloseTo(slow.losses[k]!, 4);
      for (const name of Object.keys(SHAPES)) {
        for (const [k, entry] of whole.state[name]!.entries()) expect(entry).toBeCloseTo(slow.state[name]![k]!, 4);
        expect(Math.max(...whole.state[name]!.map((entry, k) => Math.abs(entry - start[name]![k]!)))).toBeGreaterThan(
          0.05,
        );
      }

      const cut = 4 * N * D;
      const half = await executable.run(
        { ...start, x: xs.slice(0, cut), ...adamRates(SETTINGS, rates.slice(0, 4), 1) },
        4,
      );
      const rest = await executable.run(
        { ...half.state, x: xs.slice(cut), ...adamRates(SETTINGS, rates.slice(4), 5) },
        6,
      );
      expect([...half.reports.loss!, ...rest.reports.loss!]).toEqual([...whole.reports.loss!]);
      expect(rest.state).toEqual(whole.state);
      expect(start).toEqual(before);
      await executable.release();
    });

    it('gives the same numbers when it runs again', async () => {
      const program = training();
      const executable = await engine.compile(program, { y: normals(N) });
      const rates = adamRates(SETTINGS, Float32Array.of(0.1, 0.1), 1);
      const feeds = { ...beginning(), x: normals(2 * N * D), ...rates };
      const first = await executable.run(feeds, 2);
      expect(await executable.run(feeds, 2)).toEqual(first);
      await executable.release();
    });

    it('refuses several steps of a program without state, and a missing feed', async () => {
      const graph = createGraph();
      const x = input(graph, 'x', []);
      const program = { graph, frozen: [], perStep: ['x'], state: [], reports: { y: add(x, scalar(graph, 1)) } };
      const executable = await engine.compile(program, {});
      await expect(executable.run({ x: Float32Array.of(1) }, 2)).rejects.toThrow('one step a call');
      await expect(executable.run({}, 1)).rejects.toThrow('nothing is fed for the input "x"');
      await executable.release();
    });
  });
}

/** The same steps in double precision. */
function slowTraining(
  { state, reports }: Program,
  start: Record<string, Float32Array>,
  xs: Float32Array,
  y: Float32Array,
  rates: Float32Array,
): { losses: number[]; state: Record<string, ArrayLike<number>> } {
  let current: Record<string, ArrayLike<number>> = start;
  const losses: number[] = [];
  rates.forEach((_, k) => {
    const told = adamRates(SETTINGS, rates.slice(k, k + 1), k + 1);
    const feeds = { ...current, y, x: xs.slice(k * N * D, (k + 1) * N * D), ...told };
    const [loss, ...next] = evaluate([reports.loss!, ...state.map((link) => link.next)], feeds);
    losses.push(loss!.entries[0]!);
    current = Object.fromEntries(state.map(({ input: name }, s) => [name, next[s]!.entries]));
  });
  return { losses, state: current };
}
