/** Low-rank adapters (Hu et al., 2021) on every matrix of a base, whose own weights stay. */
import { add, scale } from '../../../tensor/operators/elementwise.ts';
import { matMul } from '../../../tensor/operators/matrix.ts';
import { concat } from '../../../tensor/operators/shapes.ts';
import {
  type Architecture,
  GAINS,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type Weights,
} from '../base/architecture.ts';
import {
  CONDITIONS,
  FINAL,
  frozenInputs,
  mapMatrices,
  type Network,
  PIECES,
  SHORTCUTS,
  weightName,
} from './network.ts';
import { layOut, type Parameter, parameterViews } from './parameters.ts';

const RANK = 16;
/** Adapters count for α / r = 2. */
const ADAPTER_SCALE = 2;

interface Rows {
  pieces: Float32Array;
  conditions: Float32Array;
}

/** Adapters on a base. `rows` are the base's embeddings of the pieces kept, and what conditions start as. */
export function adaptedNetwork(architecture: Architecture, base: Weights, rows: Rows): Network {
  const { width } = architecture;
  const conditions = rows.conditions.length / width;
  const adapters = base.layers.flatMap((_, layer) =>
    MATRICES.flatMap((name): Parameter[] => {
      const [outputs, inputs] = matrixShape(name, architecture);
      return [
        { name: `${weightName(layer, name)} A`, shape: [RANK, inputs], start: (3 * inputs) ** -0.5, isDecayed: true },
        { name: `${weightName(layer, name)} B`, shape: [outputs, RANK], start: 0, isDecayed: true },
      ];
    }),
  );
  const table: Parameter = { name: CONDITIONS, shape: [conditions, width], start: rows.conditions, isDecayed: false };
  const shortcuts: Parameter = { name: SHORTCUTS, shape: [conditions, width], start: 0, isDecayed: false };
  const vector = layOut([...adapters, table, shortcuts]);
  const frozen: Record<string, Float32Array> = { [PIECES]: rows.pieces, [FINAL]: base.finalNorm };
  base.layers.forEach((own, layer) => {
    for (const name of [...MATRICES, ...GAINS]) frozen[weightName(layer, name)] = own[name];
  });
  const pieces = rows.pieces.length / width;
  return {
    architecture,
    pieces,
    conditions,
    vector,
    frozen,
    source(graph, trained) {
      const held = frozenInputs(graph, architecture, pieces);
      return {
        linear(x, layer, name) {
          const own = weightName(layer, name);
          // Scaled where it is narrow.
          const low = scale(matMul(x, trained.get(`${own} A`)!, false, true), ADAPTER_SCALE);
          return add(matMul(x, held(own), false, true), matMul(low, trained.get(`${own} B`)!, false, true));
        },
        gain: (layer, name) => held(weightName(layer, name)),
        finalGain: () => held(FINAL),
        pieceTable: () => held(PIECES),
        shortcuts: () => trained.get(SHORTCUTS)!,
        table: () => concat([held(PIECES), trained.get(CONDITIONS)!], 0),
      };
    },
    plain(parameters) {
      const views = parameterViews(parameters, vector);
      const merged = (layer: number, name: MatrixName): Float32Array => {
        const own = weightName(layer, name);
        return withAdapter(base.layers[layer]![name], views.get(`${own} A`)!, views.get(`${own} B`)!);
      };
      const layers = base.layers.map((own, layer): LayerWeights => mapMatrices(own, (name) => merged(layer, name)));
      const [own, shortcuts] = [views.get(CONDITIONS)!, views.get(SHORTCUTS)!];
      return { layers, finalNorm: base.finalNorm, pieces: rows.pieces, conditions: own, shortcuts };
    },
  };
}

/** W + 2 B A. */
function withAdapter(weights: Float32Array, a: Float32Array, b: Float32Array): Float32Array {
  const outputs = b.length / RANK;
  const inputs = a.length / RANK;
  const out = weights.slice();
  for (let row = 0; row < outputs; row++) {
    for (let k = 0; k < RANK; k++) {
      const factor = ADAPTER_SCALE * b[row * RANK + k]!;
      if (factor === 0) continue;
      for (let column = 0; column < inputs; column++) out[row * inputs + column]! += factor * a[k * inputs + column]!;
    }
  }
  return out;
}
