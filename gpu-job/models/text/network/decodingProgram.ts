/**
 * One token further in each of B texts: B = slots, C = places of the cache (as many as are fed), L = layers, K = key heads, G = queries a key
 * head, H = K G, E = head width. Keys and values of the token come out, and are kept by who calls.
 */
import { createGraph, type Graph, input, OPEN, type Tensor } from '../../../tensor/graph.ts';
import { add, scale } from '../../../tensor/operators/elementwise.ts';
import { matMul } from '../../../tensor/operators/matrix.ts';
import { softmax } from '../../../tensor/operators/network.ts';
import { concat, reshape, split } from '../../../tensor/operators/shapes.ts';
import type { Program } from '../../../tensor/program.ts';
import type { Architecture } from '../base/architecture.ts';
import { lastNorm, layer, rotate, turnMatrix, type WeightSource } from './layers.ts';
import { plainSource } from './network.ts';
import { quantisedSource } from './quantised.ts';

export const cacheName = (layer: number, kind: 'keys' | 'values'): string => `${kind} ${layer}`;

export interface DecodingForm {
  pieces: number;
  slots: number;
  /** Whether weights are bytes. */
  isQuantised: boolean;
  /** Of the probabilities that come out; logits do where there is none. */
  temperature?: number | undefined;
}

/**
 * Inputs: `x` [B, D] embedded tokens; `told` [B, D] what the row's conditions add to the normed stream; `cosines`, `sines` [B, 1, E] of each slot's position; `mask` [B, 1, 1, C + 1], 0 where
 * a slot may look, the last for the token itself; caches [B, K, C, E]. Reports: `after` [B, pieces], logits or
 * probabilities, and `kept` [2 L, B, K E], keys before values of each layer.
 */
export function decodingProgram(architecture: Architecture, form: DecodingForm): Program {
  const graph = createGraph();
  const { width, layers, keyHeads, headWidth } = architecture;
  const { pieces, slots, isQuantised, temperature } = form;
  const source = (isQuantised ? quantisedSource : plainSource)(graph, architecture, pieces);
  let x = input(graph, 'x', [slots, width]);
  const attention = cachedAttention(graph, architecture, source, slots);
  const kept: Tensor[] = [];
  for (let at = 0; at < layers; at++) x = layer(x, at, source, architecture, (normed) => attention(normed, at, kept));
  const told = input(graph, 'told', [slots, width]);
  const logits = source.logits(lastNorm(x, told, source.finalGain(), architecture));
  const after = temperature === undefined ? logits : softmax(scale(logits, 1 / temperature));
  const all = concat(
    kept.map((own) => reshape(own, [1, slots, keyHeads * headWidth])),
    0,
  );
  const fed = ['x', 'told', 'cosines', 'sines', 'mask'];
  for (let at = 0; at < layers; at++) fed.push(cacheName(at, 'keys'), cacheName(at, 'values'));
  const frozen = [...graph.inputs.keys()].filter((name) => !fed.includes(name));
  return { graph, frozen, perStep: fed, state: [], reports: { after, kept: all } };
}

function cachedAttention(
  graph: Graph,
  { heads, keyHeads, headWidth }: Architecture,
  source: WeightSource,
  B: number,
): (normed: Tensor, at: number, kept: Tensor[]) => Tensor {
  const group = heads / keyHeads;
  const turn = turnMatrix(graph, headWidth);
  const cosines = input(graph, 'cosines', [B, 1, headWidth]);
  const sines = input(graph, 'sines', [B, 1, headWidth]);
  const mask = input(graph, 'mask', [B, 1, 1, OPEN]);
  return (normed, at, kept) => {
    const queries = rotate(reshape(source.linear(normed, at, 'query'), [B, heads, headWidth]), cosines, sines, turn);
    const key = rotate(reshape(source.linear(normed, at, 'key'), [B, keyHeads, headWidth]), cosines, sines, turn);
    const value = source.linear(normed, at, 'value');
    kept.push(key, value);
    const grouped = scale(reshape(queries, [B, keyHeads, group, headWidth]), headWidth ** -0.5);
    const keys = input(graph, cacheName(at, 'keys'), [B, keyHeads, OPEN, headWidth]);
    const values = input(graph, cacheName(at, 'values'), [B, keyHeads, OPEN, headWidth]);
    const past = matMul(grouped, keys, false, true);
    const own = matMul(grouped, reshape(key, [B, keyHeads, 1, headWidth]), false, true);
    const shares = softmax(add(concat([past, own], 3), mask));
    const [ofPast, ofOwn] = split(shares, [OPEN, 1], 3);
    const mixed = add(matMul(ofPast!, values), matMul(ofOwn!, reshape(value, [B, keyHeads, 1, headWidth])));
    return reshape(mixed, [B, heads * headWidth]);
  };
}
