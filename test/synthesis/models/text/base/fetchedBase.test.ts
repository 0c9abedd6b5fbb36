import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { createOnnxEngine } from '../../../../../packages/numerics/tensor/engines/openEngine.ts';
import { readTextBase } from '../../../../../packages/synthesis/models/text/base/readTextBase.ts';
import { createDecoder } from '../../../../../packages/synthesis/models/text/network/decoder.ts';
import { encoderOf } from '../../../../../packages/synthesis/models/text/tokens/bytePairs.ts';
import { describeTextBase } from '../../../../support/textBase.ts';

/** By the reader and the dequantiser of the Python package gguf 0.19.0, and NumPy in double precision. */
const KNOWN = {
  tokens: [504, 3575, 282, 4649, 314],
  after: [
    [' Paris', 7042, 17.3713],
    [' the', 260, 14.8886],
    [' London', 4528, 13.245],
    [' Le', 2250, 13.0095],
    [' New', 1315, 12.9515],
  ],
} as const;

describeTextBase('the fetched base', (path) => {
  it('gives the known logits after a known sentence', async () => {
    const base = readTextBase(new Map([[basename(path), readFileSync(path)]]));
    const tokens = encoderOf(base.tokenizer)('The capital of France is').map((piece) => base.pieces.get(piece)!);
    expect(tokens).toEqual(KNOWN.tokens);
    const { width, layers } = base.architecture;
    const rows = [...tokens, ...KNOWN.after.map(([, id]) => id)];
    const pieces = new Float32Array(rows.length * width);
    rows.forEach((id, row) => {
      pieces.set(base.embedding(id), row * width);
    });
    const weights = base.weights(Array.from({ length: layers }, (_, k) => k));
    const plain = { ...weights, pieces, conditions: new Float32Array(), shortcuts: new Float32Array() };
    const decoder = createDecoder(await createOnnxEngine('cpu'), base.architecture, plain, {
      slots: 1,
      isQuantised: false,
    });
    let logits: Float32Array = new Float32Array();
    for (const [row] of tokens.entries()) logits = await decoder.read([row]);
    await decoder.release();
    for (const [k, [, , known]] of KNOWN.after.entries()) {
      // Single precision through thirty layers.
      expect(Math.abs(logits[tokens.length + k]! - known)).toBeLessThan(2e-3);
    }
  });
});
