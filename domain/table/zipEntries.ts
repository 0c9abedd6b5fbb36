/** The entries of a zip archive as its directory declares them, and each unpacked into the room that it declares. */

export interface ZipEntry {
  name: string;
  /** Where its local header begins. */
  offset: number;
  packedBytes: number;
  declaredBytes: number;
  /** 0: stored, 8: deflated. */
  method: number;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** What stands for a number that is in the extra field instead (APPNOTE 6.3, 4.5.3). */
const ELSEWHERE = 0xffffffff;
const ZIP64 = 0x0001;

/** The central directory (APPNOTE 6.3, 4.3.12). Undefined where the archive is damaged or beyond 4 GB. */
export function zipEntries(bytes: Uint8Array): ZipEntry[] | undefined {
  const view = viewOf(bytes);
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return undefined;
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    if (extraEnd > bytes.length) return undefined;
    const long = longNumbers(view, nameEnd, extraEnd);
    // The order in which the extra field has those that stand there.
    const numbers = [at + 24, at + 20, at + 42].map((place) => view.getUint32(place, true));
    const [declaredBytes, packedBytes, offset] = numbers.map((value) => (value === ELSEWHERE ? long.shift() : value));
    if (declaredBytes === undefined || packedBytes === undefined || offset === undefined) return undefined;
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, nameEnd));
    entries.push({ name, offset, packedBytes, declaredBytes, method: view.getUint16(at + 10, true) });
    at = extraEnd + view.getUint16(at + 32, true);
  }
  return entries;
}

/** The 64-bit numbers of an entry's extra field. */
function longNumbers(view: DataView, start: number, end: number): number[] {
  for (let at = start; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== ZIP64) continue;
    const last = Math.min(end, at + 4 + view.getUint16(at + 2, true));
    const numbers: number[] = [];
    for (let place = at + 4; place + 8 <= last; place += 8) numbers.push(Number(view.getBigUint64(place, true)));
    return numbers;
  }
  return [];
}

/**
 * Unpacks the entry into `room`, which is as long as it declares, and stops at the first byte beyond. False where it is
 * damaged, or holds more or fewer bytes than it declares.
 */
export async function unpack(bytes: Uint8Array, entry: ZipEntry, room: Uint8Array): Promise<boolean> {
  const view = viewOf(bytes);
  const { offset } = entry;
  if (offset + LOCAL_BYTES > bytes.length || view.getUint32(offset, true) !== LOCAL_SIGNATURE) return false;
  const begin = offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const end = begin + entry.packedBytes;
  if (end > bytes.length) return false;
  if (entry.method === DEFLATED) return inflate(bytes.slice(begin, end), room);
  if (entry.method !== STORED || entry.packedBytes !== room.length) return false;
  room.set(bytes.subarray(begin, end));
  return true;
}

async function inflate(packed: Uint8Array<ArrayBuffer>, room: Uint8Array): Promise<boolean> {
  let count = 0;
  try {
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    for await (const chunk of unpacked) {
      if (count + chunk.length > room.length) return false;
      room.set(chunk, count);
      count += chunk.length;
    }
  } catch {
    return false;
  }
  return count === room.length;
}

function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  return undefined;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
