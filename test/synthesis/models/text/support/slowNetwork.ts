/** The Llama family's forward pass in double precision, one token and one head at a time. */
import type { Architecture } from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import type { PlainWeights } from '../../../../../packages/synthesis/models/text/network/network.ts';

type Vector = number[];

const times = (matrix: Float32Array, x: Vector): Vector =>
  Array.from({ length: matrix.length / x.length }, (_, row) =>
    x.reduce((sum, value, k) => sum + value * matrix[row * x.length + k]!, 0),
  );

function norm(x: Vector, gain: Float32Array, epsilon: number): Vector {
  const root = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + epsilon);
  return x.map((value, k) => (value / root) * gain[k]!);
}

function turned(head: Vector, position: number, ropeBase: number): Vector {
  const half = head.length / 2;
  return head.map((value, k) => {
    const angle = position / ropeBase ** ((k % half) / half);
    const other = k < half ? -head[k + half]! : head[k - half]!;
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, k) => sum + value * b[k]!, 0);
const plus = (a: Vector, b: Vector): Vector => a.map((value, k) => value + b[k]!);
const rowOf = (matrix: Float32Array, row: number, width: number): Vector => [
  ...matrix.subarray(row * width, (row + 1) * width),
];
const headOf = (x: Vector, head: number, width: number): Vector => x.slice(head * width, (head + 1) * width);

/** Log-likelihoods of every piece after the last of some tokens. */
export function slowLikelihoods(own: Architecture, weights: PlainWeights, tokens: readonly number[]): Vector {
  const { width, heads, keyHeads, headWidth, epsilon, ropeBase } = own;
  const table = [...weights.pieces, ...weights.conditions];
  let stream = tokens.map((token) => table.slice(token * width, (token + 1) * width));
  for (const layer of weights.layers) {
    const normed = stream.map((x) => norm(x, layer.attentionNorm, epsilon));
    const [queries, keys, values] = [layer.query, layer.key, layer.value].map((m) => normed.map((x) => times(m, x)));
    stream = stream.map((x, place) => {
      const mixed: Vector = [];
      for (let head = 0; head < heads; head++) {
        const group = Math.floor((head * keyHeads) / heads);
        const query = turned(headOf(queries![place]!, head, headWidth), place, ropeBase);
        const scores = Array.from({ length: place + 1 }, (_, past) =>
          Math.exp(dot(query, turned(headOf(keys![past]!, group, headWidth), past, ropeBase)) / Math.sqrt(headWidth)),
        );
        const total = scores.reduce((a, b) => a + b, 0);
        for (let k = 0; k < headWidth; k++) {
          mixed.push(
            scores.reduce((sum, score, past) => sum + (score / total) * values![past]![group * headWidth + k]!, 0),
          );
        }
      }
      const middle = plus(x, times(layer.output, mixed));
      const hidden = norm(middle, layer.hiddenNorm, epsilon);
      const up = times(layer.up, hidden);
      const gated = times(layer.gate, hidden).map((g, k) => (g / (1 + Math.exp(-g))) * up[k]!);
      return plus(middle, times(layer.down, gated));
    });
  }
  const pieces = weights.pieces.length / width;
  const told = tokens
    .filter((token) => token >= pieces)
    .reduce(
      (sum, token) => plus(sum, rowOf(weights.shortcuts, token - pieces, width)),
      new Array<number>(width).fill(0),
    );
  const ones = new Float32Array(width).fill(1);
  const last = plus(norm(stream.at(-1)!, ones, epsilon), told).map((value, k) => value * weights.finalNorm[k]!);
  const logits = times(weights.pieces, last);
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
}
