/** A zip archive without compression: what a parser gets that need not unpack anything. */

const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;

export interface Part {
  name: string;
  bytes: number;
}

/** An archive with room for parts of the given sizes, and the room of each, to be filled in. */
export function storedZip(parts: readonly Part[]): { archive: Uint8Array; rooms: Uint8Array[] } {
  const names = parts.map(({ name }) => new TextEncoder().encode(name));
  const length = parts.reduce(
    (sum, { bytes }, index) => sum + LOCAL_BYTES + ENTRY_BYTES + 2 * names[index]!.length + bytes,
    END_BYTES,
  );
  const archive = new Uint8Array(length);
  const view = new DataView(archive.buffer);
  const rooms: Uint8Array[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const [index, { bytes }] of parts.entries()) {
    offsets.push(at);
    writeHeader(view, at, { signature: 0x04034b50, shift: 0, bytes, nameBytes: names[index]!.length });
    archive.set(names[index]!, at + LOCAL_BYTES);
    at += LOCAL_BYTES + names[index]!.length;
    rooms.push(archive.subarray(at, at + bytes));
    at += bytes;
  }
  const directory = at;
  for (const [index, { bytes }] of parts.entries()) {
    writeHeader(view, at, { signature: 0x02014b50, shift: 2, bytes, nameBytes: names[index]!.length });
    view.setUint32(at + 42, offsets[index]!, true);
    archive.set(names[index]!, at + ENTRY_BYTES);
    at += ENTRY_BYTES + names[index]!.length;
  }
  view.setUint32(at, 0x06054b50, true);
  view.setUint16(at + 8, parts.length, true);
  view.setUint16(at + 10, parts.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return { archive, rooms };
}

interface Header {
  signature: number;
  /** By how much the fields stand later than in a local header. */
  shift: number;
  bytes: number;
  nameBytes: number;
}

function writeHeader(view: DataView, at: number, { signature, shift, bytes, nameBytes }: Header): void {
  view.setUint32(at, signature, true);
  view.setUint32(at + 18 + shift, bytes, true);
  view.setUint32(at + 22 + shift, bytes, true);
  view.setUint16(at + 26 + shift, nameBytes, true);
}
