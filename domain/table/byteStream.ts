/** Byte streams: their head, their pieces, the whole. */

/** The first bytes, `count` where there are as many, and the whole stream again from its beginning. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  while (length < count) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  return { head: concat(read).subarray(0, count), all: continued(read, iterator) };
}

async function* continued(read: Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = read.shift(); piece; piece = read.shift()) yield piece;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The same bytes in pieces of `size`, the last one shorter; a piece may be a view of what came in. */
export async function* inPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let at = 0;
    while (length + chunk.length - at >= size) {
      const end = at + size - length;
      held.push(chunk.subarray(at, end));
      yield concat(held);
      held = [];
      length = 0;
      at = end;
    }
    if (at < chunk.length) {
      // A copy: the giver may use the chunk's memory again.
      held.push(chunk.slice(at));
      length += chunk.length - at;
    }
  }
  if (length > 0) yield concat(held);
}

export async function allBytes(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk.slice());
  return concat(chunks);
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
