/** Trees of a vine while it grows. The nodes of tree t+1 are the edges of tree t; those of tree 0 are the columns. */
import type { Observed } from './observed.ts';

/** A node: what it offers to an edge that joins it to a node with which it shares `shared`. */
export interface Node {
  /** Nodes of the tree before that it joins; null of a column. */
  ends: readonly [number, number] | null;
  /** All columns in it, ascending. */
  columns: readonly number[];
  /** The column that the neighbour over end `shared` (0 or 1) does not have. */
  column(shared: 0 | 1): number;
  /** That column's distribution function at each row, given all the other columns of the node. */
  observed(shared: 0 | 1): Observed;
}

/** Two nodes that may be joined, and the end of each that they share. */
export interface Candidate {
  a: number;
  b: number;
  sharedA: 0 | 1;
  sharedB: 0 | 1;
}

/** All pairs of nodes that the proximity condition lets join: those with a common end, and any two columns. */
export function candidatesOf(nodes: readonly Node[]): Candidate[] {
  const out: Candidate[] = [];
  const byEnd = new Map<number, [number, 0 | 1][]>();
  nodes.forEach(({ ends }, at) => {
    if (ends === null) for (let b = at + 1; b < nodes.length; b++) out.push({ a: at, b, sharedA: 0, sharedB: 0 });
    else for (const side of [0, 1] as const) byEnd.set(ends[side], [...(byEnd.get(ends[side]) ?? []), [at, side]]);
  });
  for (const touching of byEnd.values()) {
    touching.forEach(([a, sharedA], i) => {
      for (const [b, sharedB] of touching.slice(i + 1)) out.push({ a, b, sharedA, sharedB });
    });
  }
  return out;
}

/** The candidate that joins nodes a and b. Throws RangeError where they share no end. */
export function candidateOf(nodes: readonly Node[], a: number, b: number): Candidate {
  const [endsA, endsB] = [nodes[a]!.ends, nodes[b]!.ends];
  if (endsA === null || endsB === null) return { a, b, sharedA: 0, sharedB: 0 };
  for (const sharedA of [0, 1] as const) {
    for (const sharedB of [0, 1] as const) {
      if (a !== b && endsA[sharedA] === endsB[sharedB]) return { a, b, sharedA, sharedB };
    }
  }
  throw new RangeError(
    `columns ${nodes[a]!.columns.join(', ')} and ${nodes[b]!.columns.join(', ')} cannot be joined: this is no regular vine`,
  );
}
