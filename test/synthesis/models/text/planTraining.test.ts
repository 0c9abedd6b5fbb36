import { describe, expect, it } from 'vitest';
import type { TensorEngine } from '../../../../packages/numerics/tensor/graph.ts';
import { wholeNetwork } from '../../../../packages/synthesis/models/text/network/trainableNetwork.ts';
import type { Sequence } from '../../../../packages/synthesis/models/text/network/trainingProgram.ts';
import { planTraining } from '../../../../packages/synthesis/models/text/planTraining.ts';
import { compactArchitecture } from '../../../../packages/synthesis/models/text/startNetwork.ts';

const engineOn = (device: 'cpu' | 'gpu'): TensorEngine => ({
  name: 'none',
  isGpu: device === 'gpu',
  compile: () => Promise.reject(new Error('a plan compiles nothing')),
});
const ofWidth = (width: number) => wholeNetwork({ ...compactArchitecture(1), width }, 300, 2);
const sequences = (count: number, tokens = 61): Sequence[] =>
  Array.from({ length: count }, () => ({ tokens: new Int32Array(tokens), isWritten: new Uint8Array(tokens).fill(1) }));

describe('planTraining', () => {
  it('trains on all sequences where that is not too much, and else on a part of them, a larger one on a GPU', () => {
    const [few, many] = [sequences(500), sequences(40_000)];
    const planned = (of: Sequence[], device: 'cpu' | 'gpu', epochs = 3) =>
      planTraining(engineOn(device), ofWidth(192), of, epochs, 'scratch').plan.sequencesAnEpoch;
    expect(planned(few, 'cpu')).toBe(500);
    expect(planned(many, 'gpu')).toBe(40_000);
    const part = planned(many, 'cpu');
    expect(part).toBeLessThan(40_000);
    expect(planned(many, 'cpu', 6) / part).toBeCloseTo(1 / 2, 3);
  });

  it('quotes what it trains: epochs, tokens, seconds and memory', () => {
    const quote = planTraining(engineOn('cpu'), ofWidth(192), sequences(500), 3, 'scratch');
    expect(quote).toMatchObject({ tokensAnEpoch: 30_000, tokens: 30_000, engine: 'none', plan: { epochs: 3 } });
    expect(quote.seconds).toBeGreaterThan(0);
    expect(quote.bytes).toBeGreaterThan(1e6);
  });

  it('fills windows with sequences of their length', () => {
    expect(planTraining(engineOn('cpu'), ofWidth(192), sequences(9), 1, 'scratch').plan.shape).toEqual({
      windows: 8,
      length: 64,
    });
  });

  it('takes longer windows where sequences would leave much of the shortest ones empty', () => {
    const shape = planTraining(engineOn('cpu'), ofWidth(192), sequences(90, 71), 1, 'scratch').plan.shape;
    expect(shape).toEqual({ windows: 3, length: 160 });
  });

  it('moves the weights of a wide network by less', () => {
    const rate = (width: number) =>
      planTraining(engineOn('cpu'), ofWidth(width), sequences(9), 1, 'scratch').plan.peakRate;
    expect([rate(128), rate(576), rate(1152)]).toEqual([2e-3, 2e-3, 1e-3]);
  });

  it('moves the weights of a small base by less where there is little text', () => {
    const rate = (count: number) =>
      planTraining(engineOn('cpu'), ofWidth(192), sequences(count), 1, 'compact').plan.peakRate;
    expect([rate(1000), rate(1001)]).toEqual([5e-4, 1e-3]);
  });
});
