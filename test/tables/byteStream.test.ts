import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allBytes, inPieces, peek } from '../../packages/tables/sniff.ts';
import { bytesOf } from '../support/bytes.ts';

const content = fc.uint8Array({ maxLength: 300 });
const size = fc.integer({ min: 1, max: 40 });

describe('peek', () => {
  it('shows the head and gives the whole stream again', async () => {
    await fc.assert(
      fc.asyncProperty(content, size, fc.integer({ min: 0, max: 100 }), async (bytes, chunk, count) => {
        const { head, all } = await peek(bytesOf(bytes, chunk), count);
        expect(head).toEqual(bytes.slice(0, count));
        expect(await allBytes(all)).toEqual(bytes);
      }),
    );
  });

  it('closes the stream when its reader stops early', async () => {
    let closed = false;
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(8);
      } finally {
        closed = true;
      }
    }
    const { all } = await peek(endless(), 4);
    for await (const _ of all) break;
    expect(closed).toBe(true);
  });
});

describe('inPieces', () => {
  it('cuts the same bytes into pieces of one size', async () => {
    await fc.assert(
      fc.asyncProperty(content, size, size, async (bytes, chunk, piece) => {
        const pieces: Uint8Array[] = [];
        for await (const part of inPieces(bytesOf(bytes, chunk), piece)) pieces.push(part.slice());
        expect(pieces.slice(0, -1).every((part) => part.length === piece)).toBe(true);
        expect(pieces.flatMap((part) => [...part])).toEqual([...bytes]);
      }),
    );
  });
});
