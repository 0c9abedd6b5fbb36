import { describe, expect, it } from 'vitest';
import { ADAM_DEFAULTS, adamRates, adamW, stateNames } from '../../../packages/numerics/tensor/adamW.ts';
import { createGraph, input } from '../../../packages/numerics/tensor/graph.ts';
import { evaluate } from './support/slowEngine.ts';

const SETTINGS = { ...ADAM_DEFAULTS, weightDecay: 0.1, clip: 0.5 };

describe('AdamW', () => {
  it('takes the steps of its definition', () => {
    const graph = createGraph();
    const tensor = input(graph, 'w', [2, 1]);
    const links = adamW([{ name: 'w', tensor, gradient: input(graph, 'g', [2, 1]), isDecayed: true }], SETTINGS);
    let state = [[1, -2], [0, 0], [0, 0]]; // biome-ignore format: three short rows
    let [w, mean, square] = [[1, -2], [0, 0], [0, 0]]; // biome-ignore format: three short rows
    const gradients = [
      [0.3, 0.1],
      [-3, 4],
      [0.2, -0.1],
    ];
    const { beta1, beta2, epsilon, weightDecay } = SETTINGS;
    gradients.forEach((g, k) => {
      const rate = 0.1 / (1 + k);
      const norm = Math.hypot(...g);
      const clipped = g.map((x) => x * Math.min(1, 0.5 / norm));
      mean = mean!.map((x, i) => beta1 * x + (1 - beta1) * clipped[i]!);
      square = square!.map((x, i) => beta2 * x + (1 - beta2) * clipped[i]! ** 2);
      w = w!.map((x, i) => {
        const root = Math.sqrt(square![i]! / (1 - beta2 ** (k + 1)));
        return x - rate * (mean![i]! / (1 - beta1 ** (k + 1)) / (root + epsilon) + weightDecay * x);
      });
      const told = adamRates(SETTINGS, Float32Array.of(rate), k + 1);
      const fed = Object.fromEntries(stateNames('w').map((name, s) => [name, state[s]!]));
      state = evaluate(
        links.map(({ next }) => next),
        { ...fed, ...told, g },
      ).map(({ entries }) => [...entries]);
      // Rates are single precision.
      state[0]!.forEach((x, i) => {
        expect(x).toBeCloseTo(w![i]!, 5);
      });
    });
  });
});
