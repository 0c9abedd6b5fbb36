/** Scopes that lie within others: their marginals are sums over these, and their factors are part of theirs. */
import { cellCount, cellMap } from './junctionTree.ts';

export interface Nested {
  /** Hosts come first. */
  order: number[];
  /** Null without a host. */
  hosts: ({ at: number; map: Int32Array } | null)[];
}

export function nestScopes(sizes: readonly number[], scopes: readonly (readonly number[])[]): Nested {
  const cells = scopes.map((scope) => cellCount(sizes, scope));
  const order = [...scopes.keys()].sort((a, b) => cells[b]! - cells[a]! || a - b);
  const hosts: Nested['hosts'] = scopes.map(() => null);
  for (const [place, at] of order.entries()) {
    const scope = scopes[at]!;
    const host = order.slice(0, place).findLast((other) => scope.every((one) => scopes[other]!.includes(one)));
    if (host !== undefined) hosts[at] = { at: host, map: cellMap(sizes, scopes[host]!, scope) };
  }
  return { order, hosts };
}

export function sumInto(values: Float64Array, map: Int32Array, cells: number): Float64Array {
  const out = new Float64Array(cells);
  for (let cell = 0; cell < values.length; cell++) out[map[cell]!]! += values[cell]!;
  return out;
}
