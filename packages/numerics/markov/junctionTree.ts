/** Junction tree that contains each scope in a clique. Variables 0 … d-1 have `sizes` levels. */

/** Cells count levels of `variables`; the last is fastest. */
export interface Clique {
  /** Ascending. */
  variables: readonly number[];
  cells: number;
  /** -1 for the root; parents precede children. */
  parent: number;
  /** Shared with the parent, ascending. */
  separator: readonly number[];
}

export function buildJunctionTree(sizes: readonly number[], scopes: readonly (readonly number[])[]): Clique[] {
  return arrange(sizes, eliminate(sizes, scopes));
}

export const treeCells = (sizes: readonly number[], scopes: readonly (readonly number[])[]): number =>
  eliminate(sizes, scopes).reduce((sum, clique) => sum + cellCount(sizes, clique), 0);

export const cellCount = (sizes: readonly number[], variables: Iterable<number>): number => {
  let cells = 1;
  for (const variable of variables) cells *= sizes[variable]!;
  return cells;
};

function eliminate(sizes: readonly number[], scopes: readonly (readonly number[])[]): number[][] {
  const near = sizes.map((_, variable) => new Set([variable]));
  for (const scope of scopes) for (const a of scope) for (const b of scope) near[a]!.add(b);
  const left = new Set(sizes.keys());
  const cost = sizes.map((_, variable) => cellCount(sizes, near[variable]!));
  const cliques: number[][] = [];
  while (left.size > 0) {
    let next = -1;
    for (const variable of left) if (next < 0 || cost[variable]! < cost[next]!) next = variable;
    const clique = [...near[next]!].sort((a, b) => a - b);
    if (!cliques.some((known) => clique.every((variable) => known.includes(variable)))) cliques.push(clique);
    left.delete(next);
    for (const a of clique) {
      for (const b of clique) near[a]!.add(b);
      near[a]!.delete(next);
    }
    for (const a of clique) if (a !== next) cost[a] = cellCount(sizes, near[a]!);
  }
  return cliques;
}

/** A maximum spanning tree by shared variables has the running intersection property. */
function arrange(sizes: readonly number[], cliques: readonly number[][]): Clique[] {
  const placed: Clique[] = [];
  const common = (a: readonly number[], b: readonly number[]): number[] => a.filter((variable) => b.includes(variable));
  const left = cliques.map((variables) => ({ variables, parent: -1, separator: [] as number[] }));
  while (left.length > 0) {
    const at = left.reduce((best, { separator }, i) => (separator.length > left[best]!.separator.length ? i : best), 0);
    const [next] = left.splice(at, 1);
    const parent = placed.length === 0 ? -1 : Math.max(0, next!.parent);
    placed.push({ ...next!, parent, cells: cellCount(sizes, next!.variables) });
    for (const other of left) {
      const separator = common(other.variables, next!.variables);
      if (separator.length > other.separator.length) Object.assign(other, { separator, parent: placed.length - 1 });
    }
  }
  return placed;
}

/** Maps cells of `variables` to cells of `scope`, a subset in any order. */
export function cellMap(sizes: readonly number[], variables: readonly number[], scope: readonly number[]): Int32Array {
  const strides = new Map<number, number>();
  let stride = 1;
  for (const variable of [...scope].reverse()) {
    strides.set(variable, stride);
    stride *= sizes[variable]!;
  }
  let map = Int32Array.of(0);
  for (const variable of variables) {
    const size = sizes[variable]!;
    const step = strides.get(variable) ?? 0;
    const wider = new Int32Array(map.length * size);
    for (let cell = 0, at = 0; cell < map.length; cell++)
      for (let level = 0; level < size; level++) wider[at++] = map[cell]! + level * step;
    map = wider;
  }
  return map;
}
