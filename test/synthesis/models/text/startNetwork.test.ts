import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { TensorEngine } from '../../../../packages/numerics/tensor/graph.ts';
import { readTextBase } from '../../../../packages/synthesis/models/text/base/readTextBase.ts';
import { startVector } from '../../../../packages/synthesis/models/text/network/network.ts';
import {
  asNamed,
  chooseStart,
  shareSpelt,
  startNetwork,
} from '../../../../packages/synthesis/models/text/startNetwork.ts';
import { smallGguf } from './support/writeGguf.ts';

const engine: TensorEngine = {
  name: 'none',
  isGpu: false,
  compile: () => Promise.reject(new Error('a start compiles nothing')),
};
const compact = readTextBase(new Map([['small.gguf', smallGguf()]]));
const TEXTS = Array.from({ length: 20 }, (_, k) => `the rant of ${k}`);
const resources = { engine, base: null, baseProblem: null, compact };

describe('what a network starts from', () => {
  it('is a small base where there is no larger one, with merges of the texts added to its own', () => {
    const start = chooseStart(resources, TEXTS);
    expect(start.kind).toBe('compact');
    expect(start.vocabulary.encode('the rant').map((id) => start.vocabulary.pieces[id])).toEqual(['the', 'Ġrant']);
    expect(chooseStart({ ...resources, base: compact }, TEXTS).kind).toBe('adapted');
    expect(asNamed(compact)).toEqual({ base: null, compact });
    const large = { ...compact, architecture: { ...compact.architecture, width: 576, hidden: 1536, layers: 30 } };
    expect(asNamed(large)).toEqual({ base: large });
  });

  it('is nothing where the texts are of a script that the small base spells in bytes', () => {
    const greek = TEXTS.map((text) => `${text} είναι ένα κείμενο`);
    expect(shareSpelt(compact, TEXTS)).toBe(0);
    expect(shareSpelt(compact, ['aé'])).toBe(1);
    expect(chooseStart(resources, greek).kind).toBe('scratch');
    expect(chooseStart({ ...resources, base: compact }, greek).kind).toBe('adapted');
  });

  it("is the base's weights as they are; a piece that it lacks is the mean of its parts, a marker its END", () => {
    const start = chooseStart(resources, TEXTS);
    const network = startNetwork(start, { conditions: [], columns: ['a'] }, 1000);
    const vector = startVector(network.vector, createStream(1, 'start'));
    const { layers, pieces, conditions } = network.plain(vector);
    const [kept] = compact.weights([0]).layers;
    expect(layers[0]!.down).toEqual(kept!.down);
    const width = compact.architecture.width;
    const rowOf = (piece: string) => {
      const at = start.vocabulary.pieces.indexOf(piece);
      return pieces.subarray(at * width, (at + 1) * width);
    };
    const embedding = (piece: string) => compact.embedding(compact.pieces.get(piece)!);
    expect(rowOf('the')).toEqual(embedding('the'));
    const mean = embedding('Ġ').map((x, k) => (x + embedding('r')[k]!) / 2);
    rowOf('Ġr').forEach((x, k) => {
      expect(x).toBeCloseTo(mean[k]!, 6);
    });
    expect(conditions).toEqual(compact.embedding(compact.end));
  });
});
