/**
 * Interactions: the leaves of a few small boosted trees as indicators (Friedman and Popescu, 2008, rule ensembles), whose
 * coefficients are learnt anew under one shrunk scale.
 */
import { applyLeaves, fitBoostedTrees } from '../../trees/boostedTrees.ts';
import type { LeafPart } from './design.ts';
import type { Draft } from './draft.ts';
import type { RowFiller } from './fillRows.ts';
import type { Predictor } from './predictors.ts';
import { featuresOf, featureTable } from './treeFeatures.ts';

export interface LeafSettings {
  trees: number;
  maxLeaves: number;
  maxDepth: number;
  minLeafRows: number;
  learningRate: number;
}

/** @param response one finite number a row, of about unit scale. */
export function draftLeaves(
  draft: Draft,
  predictors: readonly Predictor[],
  response: Float64Array,
  settings: LeafSettings,
): void {
  const features = featuresOf(predictors);
  const table = featureTable(features, predictors, response.length);
  const { trees: iterations, maxLeaves, maxDepth, minLeafRows, learningRate } = settings;
  const trees = fitBoostedTrees(table, response, { iterations, maxLeaves, maxDepth, minLeafRows, learningRate });
  if (trees.trees.length === 0) return;
  const columns: number[] = [];
  const places = applyLeaves(trees, table).map((leaves, t) => {
    const largest = largestLeaf(leaves, trees.trees[t]!.leaves);
    return Array.from({ length: trees.trees[t]!.leaves }, (_, leaf) => {
      if (leaf === largest) return -1;
      const place = draft.addColumn(`tree ${t + 1} leaf ${leaf + 1}`, null);
      columns.push(place);
      return place;
    });
  });
  // A row falls in one leaf of every tree: the sum over T trees has the pool's scale.
  draft.addPool('leaves of trees', columns, 1 / Math.sqrt(trees.trees.length));
  draft.parts.push({ kind: 'leaves', features, trees, places });
}

export function leafFiller(part: LeafPart, predictors: readonly Predictor[], n: number): RowFiller {
  const leaves = applyLeaves(part.trees, featureTable(part.features, predictors, n));
  const places = part.places.map((ofTree) => Int32Array.from(ofTree));
  return {
    size: (row) => {
      let size = 0;
      for (let t = 0; t < places.length; t++) if (places[t]![leaves[t]![row]!]! >= 0) size++;
      return size;
    },
    fill: (row, put) => {
      for (let t = 0; t < places.length; t++) {
        const place = places[t]![leaves[t]![row]!]!;
        if (place >= 0) put(place, 1);
      }
    },
  };
}

function largestLeaf(leaves: Int32Array, count: number): number {
  const rows = new Int32Array(count);
  for (const leaf of leaves) rows[leaf]!++;
  return rows.indexOf(Math.max(...rows));
}
