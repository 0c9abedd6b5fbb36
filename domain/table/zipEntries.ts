/** The entries of a zip archive, and how many bytes they really hold: known before anything is unpacked into memory. */

export interface ZipEntry {
  name: string;
  /** Where its local header begins. */
  offset: number;
  packedBytes: number;
  declaredBytes: number;
  stored: boolean;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 0xffff;

/** The central directory (APPNOTE 6.3, 4.3.12). Undefined where the archive is damaged or beyond 4 GB. */
export function zipEntries(bytes: Uint8Array): ZipEntry[] | undefined {
  const view = viewOf(bytes);
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return undefined;
    const nameBytes = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)),
      offset: view.getUint32(at + 42, true),
      packedBytes: view.getUint32(at + 20, true),
      declaredBytes: view.getUint32(at + 24, true),
      stored: view.getUint16(at + 10, true) === 0,
    });
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Bytes that the entry unpacks to, counted up to the first count above `limit`. Undefined where it is damaged. */
export async function unpackedBytes(bytes: Uint8Array, entry: ZipEntry, limit: number): Promise<number | undefined> {
  const view = viewOf(bytes);
  const { offset } = entry;
  if (offset + LOCAL_BYTES > bytes.length || view.getUint32(offset, true) !== LOCAL_SIGNATURE) return undefined;
  const begin = offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const end = begin + entry.packedBytes;
  if (end > bytes.length) return undefined;
  return entry.stored ? entry.packedBytes : inflatedBytes(bytes.slice(begin, end), limit);
}

async function inflatedBytes(packed: Uint8Array<ArrayBuffer>, limit: number): Promise<number | undefined> {
  let count = 0;
  try {
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    for await (const chunk of unpacked) {
      count += chunk.length;
      if (count > limit) break;
    }
  } catch {
    return undefined;
  }
  return count;
}

function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  return undefined;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
