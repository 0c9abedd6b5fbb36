import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { createOnnxEngine } from '../../../../../packages/numerics/tensor/engines/openEngine.ts';
import type { TensorEngine } from '../../../../../packages/numerics/tensor/graph.ts';
import { createDecoder } from '../../../../../packages/synthesis/models/text/network/decoder.ts';
import type { PlainWeights } from '../../../../../packages/synthesis/models/text/network/network.ts';
import { quantise, spread, spreadMatrix } from '../../../../../packages/synthesis/models/text/network/quantised.ts';
import { slowLikelihoods } from '../support/slowNetwork.ts';
import { SMALL, SMALL_WEIGHTS } from '../support/smallBase.ts';

const random = createStream(9, 'quantised');
const normals = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal() / 2);
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);

describe('spreading channels', () => {
  it.each([1, 7, 32, 48, 90, 576])('keeps the products of vectors of length %i', (length) => {
    const [a, b] = [normals(length), normals(length)];
    const before = dot(a, b);
    spread(a, length);
    spread(b, length);
    // Single precision.
    expect(dot(a, b)).toBeCloseTo(before, 4);
  });

  it('leaves nothing of a channel that stands out, nor of a mean', () => {
    const single = new Float32Array(576);
    single[100] = 1;
    const even = new Float32Array(576).fill(576 ** -0.5);
    for (const vector of [single, even]) {
      spread(vector, 576);
      expect(Math.max(...vector.map(Math.abs))).toBeLessThan(0.3);
    }
  });

  it('spreads columns as it spreads rows, and as its matrix does', () => {
    const [rows, columns] = [12, 5];
    const matrix = normals(rows * columns);
    const column = Float32Array.from({ length: rows }, (_, k) => matrix[k * columns + 3]!);
    const turn = spreadMatrix(rows);
    const product = turn.slice(0, rows).map((_, to) => column.reduce((sum, x, k) => sum + x * turn[k * rows + to]!, 0));
    spread(column, rows);
    spread(matrix, rows, columns);
    column.forEach((x, k) => {
      expect(matrix[k * columns + 3]).toBeCloseTo(x, 6);
      expect(product[k]).toBeCloseTo(x, 6);
    });
  });
});

describe('weights in bytes', () => {
  it('are off by half a level at most', () => {
    const matrix = normals(3 * 8);
    matrix.fill(0, 8, 16);
    const { levels, scales } = quantise(matrix, 8);
    matrix.forEach((x, k) => {
      const row = Math.floor(k / 8);
      const back = levels[(k % 8) * 3 + row]! * scales[row]!;
      expect(Math.abs(back - x)).toBeLessThanOrEqual(scales[row]! / 2 + 1e-7);
    });
  });

  describe('when they write', () => {
    let engine: TensorEngine;
    beforeAll(async () => {
      engine = await createOnnxEngine('cpu');
    });
    const weights: PlainWeights = {
      ...SMALL_WEIGHTS,
      pieces: normals(20 * SMALL.width),
      conditions: normals(3 * SMALL.width),
      shortcuts: normals(3 * SMALL.width),
    };
    // A channel of the stream far above the others, as trained networks have them.
    for (let row = 0; row < 20; row++) weights.pieces[row * SMALL.width + 5]! += 10;
    const texts = [
      [21, 3, 4, 5, 6],
      [20, 7, 8, 1, 2],
    ];

    const read = async (slots: readonly (readonly number[])[]): Promise<Float32Array> => {
      const decoder = createDecoder(engine, SMALL, weights, { slots: slots.length });
      let logits: Float32Array = new Float32Array();
      for (const [step] of slots[0]!.entries()) logits = await decoder.read(slots.map((tokens) => tokens[step]!));
      await decoder.release();
      return logits;
    };

    it('give nearly the likelihoods of the slow reference', async () => {
      const logits = await read(texts);
      texts.forEach((tokens, slot) => {
        const own = logits.subarray(slot * 20, (slot + 1) * 20);
        const total = Math.log(own.reduce((sum, logit) => sum + Math.exp(logit), 0));
        const divergence = slowLikelihoods(SMALL, weights, tokens).reduce(
          (sum, slow, piece) => sum + Math.exp(slow) * (slow - own[piece]! + total),
          0,
        );
        // Each product is off by a hundredth, logits of two after two layers by a few: the divergence is half their square.
        expect(divergence).toBeLessThan(5e-3);
      });
    });

    it('read a text alike whatever stands in the other slots', async () => {
      const alone = await read([texts[0]!, texts[0]!]);
      const beside = await read(texts);
      expect([...beside.subarray(0, 20)]).toEqual([...alone.subarray(0, 20)]);
    });
  });
});
