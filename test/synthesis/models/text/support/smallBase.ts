/** A base small enough to be made here, and the files that would hold it. */

import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import type {
  Architecture,
  GainName,
  MatrixName,
} from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import {
  GAINS,
  MATRICES,
  matrixShape,
  type Weights,
} from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import { BYTE_PIECES } from '../../../../../packages/synthesis/models/text/tokens/bytePairs.ts';

export const SMALL: Architecture = {
  width: 32,
  layers: 2,
  heads: 4,
  keyHeads: 2,
  headWidth: 8,
  hidden: 64,
  ropeBase: 10_000,
  epsilon: 1e-5,
};

export const MERGES: readonly (readonly [string, string])[] = [
  ['t', 'h'],
  ['th', 'e'],
  ['Ġ', 'the'],
  ['a', 'n'],
];

/** END, all bytes, and the merged pieces. */
export const PIECES = ['<|end|>', ...BYTE_PIECES, ...MERGES.map(([a, b]) => a + b)];

const random = createStream(7, 'small base');
const normals = (length: number, scale: number): Float32Array =>
  Float32Array.from({ length }, () => Math.fround(scale * random.normal()));

export const SMALL_WEIGHTS: Weights = {
  layers: Array.from({ length: SMALL.layers }, () => {
    const matrix = (name: MatrixName) => normals(matrixShape(name, SMALL)[0] * matrixShape(name, SMALL)[1], 0.3);
    const gain = () => normals(SMALL.width, 0.1).map((x) => 1 + x);
    const [query, key, value, output, gate, up, down] = MATRICES.map(matrix);
    const [attentionNorm, hiddenNorm] = GAINS.map(gain);
    return {
      query: query!,
      key: key!,
      value: value!,
      output: output!,
      gate: gate!,
      up: up!,
      down: down!,
      attentionNorm: attentionNorm!,
      hiddenNorm: hiddenNorm!,
    };
  }),
  finalNorm: normals(SMALL.width, 0.1).map((x) => 1 + x),
};

export const SMALL_TABLE = normals(PIECES.length * SMALL.width, 0.5);

export const matrixNames: readonly (MatrixName | GainName)[] = [...MATRICES, ...GAINS];
