/** A compact model of which all weights are trained. */
import { matMul } from '../../../tensor/operators/matrix.ts';
import { concat } from '../../../tensor/operators/shapes.ts';
import { type Architecture, GAINS, type LayerWeights, MATRICES, matrixShape } from '../base/architecture.ts';
import { CONDITIONS, FINAL, mapMatrices, type Network, PIECES, SHORTCUTS, weightName } from './network.ts';
import { layOut, type Parameter, parameterViews } from './parameters.ts';

/** All weights of a compact model. */
export function wholeNetwork(architecture: Architecture, pieces: number, conditions: number): Network {
  const { width, layers } = architecture;
  const start = width ** -0.5 / 2;
  const parameters: Parameter[] = [
    { name: PIECES, shape: [pieces, width], start, isDecayed: true },
    { name: CONDITIONS, shape: [conditions, width], start, isDecayed: false },
    { name: SHORTCUTS, shape: [conditions, width], start: 0, isDecayed: false },
    { name: FINAL, shape: [width], start: new Float32Array(width).fill(1), isDecayed: false },
  ];
  for (let layer = 0; layer < layers; layer++) {
    for (const name of MATRICES) {
      const shape = matrixShape(name, architecture);
      // What is added to the stream starts smaller the more often it is added.
      const shrink = name === 'output' || name === 'down' ? (2 * layers) ** -0.5 : 1;
      parameters.push({
        name: weightName(layer, name),
        shape,
        start: shrink * (2 * shape[1]) ** -0.5,
        isDecayed: true,
      });
    }
    for (const name of GAINS) {
      const ones = new Float32Array(width).fill(1);
      parameters.push({ name: weightName(layer, name), shape: [width], start: ones, isDecayed: false });
    }
  }
  const vector = layOut(parameters);
  return {
    architecture,
    pieces,
    conditions,
    vector,
    frozen: {},
    source: (_graph, trained) => ({
      linear: (x, layer, name) => matMul(x, trained.get(weightName(layer, name))!, false, true),
      gain: (layer, name) => trained.get(weightName(layer, name))!,
      finalGain: () => trained.get(FINAL)!,
      pieceTable: () => trained.get(PIECES)!,
      shortcuts: () => trained.get(SHORTCUTS)!,
      table: () => concat([trained.get(PIECES)!, trained.get(CONDITIONS)!], 0),
    }),
    plain(trained) {
      const views = parameterViews(trained, vector);
      const view = (name: string): Float32Array => views.get(name)!;
      const own = (layer: number): LayerWeights =>
        mapMatrices(
          {
            attentionNorm: view(weightName(layer, 'attentionNorm')),
            hiddenNorm: view(weightName(layer, 'hiddenNorm')),
          },
          (name) => view(weightName(layer, name)),
        );
      return {
        layers: Array.from({ length: layers }, (_, layer) => own(layer)),
        finalNorm: view(FINAL),
        pieces: view(PIECES),
        conditions: view(CONDITIONS),
        shortcuts: view(SHORTCUTS),
      };
    },
  };
}
