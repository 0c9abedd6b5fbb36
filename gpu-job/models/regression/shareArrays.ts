/** Puts the numbers of plain data on shared memory, so that worker threads read them where they are. */

/**
 * `data` with every Float64Array and Int32Array in it on a SharedArrayBuffer; one that is there already is not copied.
 * An array that occurs twice is shared once. Takes plain objects, arrays and primitives.
 */
export function shareArrays<Data>(data: Data): Data {
  const seen = new Map<object, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    const shared = shareObject(value, share);
    seen.set(value, shared);
    return shared;
  };
  // The walk keeps the shape of what it is given.
  return share(data) as Data;
}

function shareObject(value: object, share: (value: unknown) => unknown): unknown {
  if (value instanceof Float64Array || value instanceof Int32Array) return onSharedMemory(value);
  if (Array.isArray(value)) return value.map(share);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, share(inner)]));
}

function onSharedMemory(array: Float64Array | Int32Array): Float64Array | Int32Array {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const memory = new SharedArrayBuffer(array.byteLength);
  const out = array instanceof Float64Array ? new Float64Array(memory) : new Int32Array(memory);
  out.set(array);
  return out;
}
