/**
 * Shared slopes of a number's bins: few rows train each bin's shortcut, all rows the slope. Folded into shortcuts after
 * training.
 */
import { constant } from '../../../../numerics/tensor/graph.ts';
import { add } from '../../../../numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../../numerics/tensor/operators/matrix.ts';
import { layOut, type Network, type Parameter, parameterVector, parameterViews, SHORTCUTS } from './network.ts';

/** Score of each condition in each number, [conditions, numbers]. */
export interface ConditionScores {
  numbers: number;
  scores: Float32Array;
}

export interface SlopedNetwork extends Network {
  /** Returns the equivalent vector without slopes. */
  folded(parameters: Float32Array): Float32Array;
}

const SLOPES = 'slopes';
/** Slopes take longer steps, since all rows train them. */
const PACE = 20;

export function withSlopes(network: Network, { numbers, scores }: ConditionScores): SlopedNetwork {
  if (numbers === 0) return { ...network, folded: (parameters) => parameters };
  const { width } = network.architecture;
  const paced = scores.map((score) => PACE * score);
  const slopes: Parameter = { name: SLOPES, shape: [numbers, width], start: 0, isDecayed: false };
  const vector = layOut([...network.vector.entries, slopes]);
  const folded = (parameters: Float32Array): Float32Array => {
    const views = parameterViews(parameters, vector);
    const shortcuts = plusProduct(views.get(SHORTCUTS)!, paced, views.get(SLOPES)!, width);
    return parameterVector((name) => (name === SHORTCUTS ? shortcuts : views.get(name)!), network.vector);
  };
  return {
    ...network,
    vector,
    folded,
    source(graph, trained) {
      const own = network.source(graph, trained);
      const table = constant(graph, paced, [network.conditions, numbers]);
      return { ...own, shortcuts: () => add(own.shortcuts(), matMul(table, trained.get(SLOPES)!)) };
    },
    plain: (parameters) => network.plain(folded(parameters)),
  };
}

function plusProduct(a: Float32Array, s: Float32Array, b: Float32Array, width: number): Float32Array {
  const inner = b.length / width;
  return a.map((own, at) => {
    const [row, column] = [Math.floor(at / width), at % width];
    let sum = own;
    for (let k = 0; k < inner; k++) sum += s[row * inner + k]! * b[k * width + column]!;
    return sum;
  });
}
