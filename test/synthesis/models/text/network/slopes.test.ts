import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { createOnnxEngine } from '../../../../../packages/numerics/tensor/engines/openEngine.ts';
import { startVector } from '../../../../../packages/synthesis/models/text/network/network.ts';
import { type SlopedNetwork, withSlopes } from '../../../../../packages/synthesis/models/text/network/slopes.ts';
import { scoreSequences, trainNetwork } from '../../../../../packages/synthesis/models/text/network/train.ts';
import { wholeNetwork } from '../../../../../packages/synthesis/models/text/network/trainableNetwork.ts';
import type { Sequence } from '../../../../../packages/synthesis/models/text/network/trainingProgram.ts';
import { fitPrefixColumn, tokenScores } from '../../../../../packages/synthesis/models/text/prefixes.ts';
import { conditionScores } from '../../../../../packages/synthesis/models/text/rowSequences.ts';
import { SMALL } from '../support/smallBase.ts';

const PIECES = 6;
const BINS = [-1, -0.5, 0, 0.5, 1];
const [LOW, HIGH] = [1, 2];
const shape = { windows: 4, length: 32 };

const plain = () => wholeNetwork(SMALL, PIECES, BINS.length);
const sloped = (): SlopedNetwork => withSlopes(plain(), { numbers: 1, scores: Float32Array.from(BINS) });
const sequence = (bin: number, pieces: number[]): Sequence => ({
  tokens: Int32Array.from([PIECES + bin, ...pieces, 0]),
  isWritten: Uint8Array.from([0, ...pieces.map(() => 1), 1]),
});

describe('slopes', () => {
  it('say of a bin that no row has what its neighbours let expect', async () => {
    const engine = await createOnnxEngine('cpu');
    const random = createStream(3, 'texts');
    const isHigh = (bin: number): boolean => random.uniform() < 0.5 + 0.4 * BINS[bin]!;
    const sequences = Array.from({ length: 200 }, (_, k) =>
      sequence(
        k % 4,
        Array.from({ length: 6 }, () => (isHigh(k % 4) ? HIGH : LOW)),
      ),
    );
    const plan = { epochs: 6, sequencesAnEpoch: 200, shape, peakRate: 2e-3, weightDecay: 0, fallingPasses: 6 };
    const highInLastBin = async (network: SlopedNetwork | ReturnType<typeof plain>): Promise<number> => {
      const { parameters } = await trainNetwork({
        engine,
        network,
        sequences,
        heldOut: [],
        random: createStream(8, 'training'),
        plan: { ...plan, patience: 6, stepOperations: 1e9 },
        onEpoch: async () => {},
        yieldToEventLoop: async () => {},
      });
      const task = { engine, network, heldOut: [sequence(4, [HIGH]), sequence(4, [LOW])], shape };
      const [high, low] = await scoreSequences(task, parameters);
      return high![1]! - low![1]!;
    };
    // The log odds of the rule are 2.2 in the last bin, 0 in the middle.
    expect(await highInLastBin(sloped())).toBeGreaterThan(1);
    expect(await highInLastBin(plain())).toBeLessThan(0.5);
  });

  it('are folded into the shortcuts of a network without them', () => {
    const network = sloped();
    const parameters = startVector(network.vector, createStream(6, 'start')).map((x, k) => x + Math.sin(k));
    const folded = network.folded(parameters);
    expect(folded.length).toBe(plain().vector.length);
    expect(plain().plain(folded)).toEqual(network.plain(parameters));
  });

  it('change nothing where a form has no numbers', () => {
    const network = plain();
    const same = withSlopes(network, { numbers: 0, scores: new Float32Array() });
    expect(same.vector).toBe(network.vector);
  });
});

describe('scores of conditions', () => {
  const values = Float64Array.from({ length: 160 }, (_, k) => k);
  const number = fitPrefixColumn({ kind: 'numeric', name: 'x', values })!;
  const levels = { name: 'c', kind: 'levels' as const, levels: ['a', 'b'] };

  it('rise over the bins of a number, evenly around its middle, and are 0 elsewhere', () => {
    const [missing, other, ...bins] = tokenScores(number);
    expect([missing, other]).toEqual([0, 0]);
    bins.slice(1).forEach((score, k) => {
      expect(score).toBeGreaterThan(bins[k]!);
    });
    bins.forEach((score, k) => {
      expect(score).toBeCloseTo(-bins[bins.length - 1 - k]!, 12);
    });
    expect(tokenScores(levels)).toEqual([0, 0, 0, 0]);
  });

  it('stand in the order of the table of conditions, a column for each number', () => {
    const form = { conditions: [levels, number, { ...number, name: 'y' }], columns: ['t'] };
    const { numbers, scores } = conditionScores(form, new Map());
    expect(numbers).toBe(2);
    const own = tokenScores(number);
    const expected = [
      ...tokenScores(levels).map(() => [0, 0]),
      ...own.map((score) => [score, 0]),
      ...own.map((score) => [0, score]),
      [0, 0],
    ];
    expect(scores).toEqual(Float32Array.from(expected.flat()));
  });

  it('are those of levels that are in an order, as if they were bins', () => {
    const form = { conditions: [{ ...levels, name: 'd' }, levels], columns: ['t'] };
    const ofC = new Map([
      ['b', 1.5],
      ['a', -1.5],
    ]);
    const { numbers, scores } = conditionScores(form, new Map([['c', ofC]]));
    expect([numbers, ...scores]).toEqual([1, 0, 0, 0, 0, 0, 0, -1.5, 1.5, 0]);
  });
});
