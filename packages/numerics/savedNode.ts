/** Reads JSON of unknown shape. Errors contain the path. */

export interface SavedNode {
  value: unknown;
  path: string;
}

function complain({ value, path }: SavedNode, wanted: string): never {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new RangeError(`${path} is ${found}, not ${wanted}`);
}

export function field(node: SavedNode, key: string): SavedNode {
  const { value, path } = node;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
    return complain(node, `an object with ${key}`);
  }
  return { value: Reflect.get(value, key), path: `${path}.${key}` };
}

export function list<T>(node: SavedNode, read: (item: SavedNode) => T): T[] {
  if (!Array.isArray(node.value)) return complain(node, 'a list');
  return node.value.map((value: unknown, i) => read({ value, path: `${node.path}[${i}]` }));
}

export const nullable = <T>(node: SavedNode, read: (present: SavedNode) => T): T | null =>
  node.value === null ? null : read(node);

export const number = (node: SavedNode): number =>
  typeof node.value === 'number' && Number.isFinite(node.value) ? node.value : complain(node, 'a finite number');

export const whole = (node: SavedNode): number =>
  Number.isSafeInteger(node.value) ? number(node) : complain(node, 'a whole number');

export const text = (node: SavedNode): string =>
  typeof node.value === 'string' ? node.value : complain(node, 'a text');

export const truth = (node: SavedNode): boolean =>
  typeof node.value === 'boolean' ? node.value : complain(node, 'true or false');

export function oneOf<T extends string>(node: SavedNode, choices: readonly T[]): T {
  return choices.find((choice) => choice === node.value) ?? complain(node, `one of ${choices.join(', ')}`);
}

/** Reads a whole number in [least, end). */
export function indexIn(node: SavedNode, least: number, end: number): number {
  const value = whole(node);
  return value >= least && value < end ? value : complain(node, `from ${least} to ${end - 1}`);
}
