/** Halves nodes of a k-d tree in their widest dimension. */

export interface Points {
  rows: number;
  /** rows × p. */
  cells: Float32Array;
}

/** Maximum points per leaf, unless all are equal. */
const LEAF_POINTS = 64;

/** Maximum points examined for the dimension. */
const LOOKED_AT = 256;

/** In preorder, so that a left child follows its parent. */
export interface GrownTree {
  /** -1 for leaves. */
  dimension: Int32Array;
  /** Right child, or number of the leaf. */
  right: Int32Array;
  leftMax: Float64Array;
  rightMin: Float64Array;
  order: Uint32Array;
  /** First place per leaf, then the end. */
  starts: Int32Array;
}

interface Cut {
  dimension: number;
  leftMax: number;
  rightMin: number;
  count: number;
}

/** @param width p. */
export function growTree({ cells, rows }: Points, width: number): GrownTree {
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  const nodes: { dimension: number; right: number; leftMax: number; rightMin: number }[] = [];
  const starts: number[] = [];
  const grow = (start: number, end: number): void => {
    const cut = end - start > LEAF_POINTS ? findCut(cells, width, order, start, end) : undefined;
    const node = { dimension: -1, right: starts.length, leftMax: 0, rightMin: 0 };
    nodes.push(node);
    if (!cut) {
      starts.push(start);
      return;
    }
    const { dimension, leftMax, rightMin, count } = cut;
    partStretch(cells, width, order, start, end, cut);
    grow(start, start + count);
    Object.assign(node, { dimension, leftMax, rightMin, right: nodes.length });
    grow(start + count, end);
  };
  grow(0, rows);
  return {
    dimension: Int32Array.from(nodes, (node) => node.dimension),
    right: Int32Array.from(nodes, (node) => node.right),
    leftMax: Float64Array.from(nodes, (node) => node.leftMax),
    rightMin: Float64Array.from(nodes, (node) => node.rightMin),
    order,
    starts: Int32Array.from([...starts, rows]),
  };
}

function partStretch(
  cells: Float32Array,
  width: number,
  order: Uint32Array,
  start: number,
  end: number,
  cut: Cut,
): void {
  const stretch = order.slice(start, end);
  let [left, right] = [start, start + cut.count];
  for (const row of stretch) {
    if (cells[row * width + cut.dimension]! <= cut.leftMax) order[left++] = row;
    else order[right++] = row;
  }
}

function findCut(cells: Float32Array, width: number, order: Uint32Array, start: number, end: number): Cut | undefined {
  const dimension = widestDimension(cells, width, order, start, end);
  const sorted = new Float32Array(end - start);
  for (let at = start; at < end; at++) sorted[at - start] = cells[order[at]! * width + dimension]!;
  const count = middleCut(sorted.sort());
  return count < 0 ? undefined : { dimension, leftMax: sorted[count - 1]!, rightMin: sorted[count]!, count };
}

/** Returns the change of value nearest the middle, or -1. */
function middleCut(sorted: Float32Array): number {
  const middle = sorted.length >> 1;
  for (let step = 0; step <= middle; step++) {
    const down = middle - step;
    const up = middle + step;
    if (down > 0 && sorted[down - 1]! < sorted[down]!) return down;
    if (up < sorted.length && sorted[up - 1]! < sorted[up]!) return up;
  }
  return -1;
}

function widestDimension(cells: Float32Array, width: number, order: Uint32Array, start: number, end: number): number {
  const step = Math.max(1, Math.floor((end - start) / LOOKED_AT));
  const few = sumGaps(cells, width, order, start, end, step);
  const gaps = Math.max(...few) > 0 ? few : sumGaps(cells, width, order, start, end, 1);
  return gaps.indexOf(Math.max(...gaps));
}

function sumGaps(
  cells: Float32Array,
  width: number,
  order: Uint32Array,
  start: number,
  end: number,
  step: number,
): number[] {
  const gaps: number[] = new Array(width).fill(0);
  for (let at = start + step; at < end; at += step) {
    const [here, before] = [order[at]! * width, order[at - step]! * width];
    for (let j = 0; j < width; j++) gaps[j]! += Math.min(1, Math.abs(cells[here + j]! - cells[before + j]!));
  }
  return gaps;
}
