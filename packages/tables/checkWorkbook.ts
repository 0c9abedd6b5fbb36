/** Checks an .xlsx archive before a parser reads it. */
import { unsupported } from './sniff.ts';
import {
  damaged,
  MAX_CELLS,
  MAX_ENTRIES,
  MAX_RATIO,
  MAX_ROWS,
  MAX_UNPACKED_BYTES,
  packedTooTightly,
  SMALL_PART_BYTES,
  tooManyCells,
  tooManyEntries,
  tooManyRows,
  unpacksToTooMuch,
} from './workbookLimits.ts';

const WORKBOOK = /^\/?xl\/workbook\d*\.xml$/i;
const OF_THE_TABLE = /^\/?(\[content_types\]\.xml|_rels\/\.rels|xl\/.+\.(xml|rels))$/i;
const BESIDE_THE_TABLE =
  /\/(worksheets\/_rels|chartsheets|charts|comments\d*\.xml$|comments|threadedcomments|persons|drawings|ctrlprops|embeddings|externallinks|media|pivotcache|pivottables|printersettings|querytables|slicers?|slicercaches|tables|theme|customxml|calcchain\.xml$|connections\.xml$)/i;
const SHEET = /\/worksheets\/[^/]+\.xml$/i;
const TEXTS = /\/sharedstrings\d*\.xml$/i;

const FOREIGN = [
  [/^\/?xl\/workbook\d*\.bin$/i, 'xlsb'],
  [/^content\.xml$/i, 'opendocument'],
  [/^word\//i, 'word'],
  [/^ppt\//i, 'powerpoint'],
  [/^index\/document\.iwa$/i, 'numbers'],
] as const;

/**
 * Returns an uncompressed archive of the needed parts. Checks declared sizes before and real sizes while unpacking.
 * @throws ServiceError `unsupported_file_type` if the archive is not a workbook, `parse_error` if it is damaged or too
 * large.
 */
export async function checkWorkbook(bytes: Uint8Array): Promise<Uint8Array> {
  const entries = zipEntries(bytes);
  if (!entries) throw damaged();
  if (!entries.some(({ name }) => WORKBOOK.test(name))) throw noWorkbook(entries);
  if (entries.length > MAX_ENTRIES) throw tooManyEntries(entries.length);
  checkSizes(entries);
  const parts = entries.filter(({ name }) => OF_THE_TABLE.test(name) && !BESIDE_THE_TABLE.test(name));
  const { archive, rooms } = storedZip(parts.map(({ name, declaredBytes }) => ({ name, bytes: declaredBytes })));
  for (const [index, entry] of parts.entries()) {
    const room = rooms[index]!;
    if (!(await unpack(bytes, entry, room))) throw damaged();
    if (SHEET.test(entry.name) || TEXTS.test(entry.name)) checkSheet(room);
  }
  return archive;
}

function checkSizes(entries: readonly ZipEntry[]): void {
  const declared = entries.reduce((sum, entry) => sum + entry.declaredBytes, 0);
  if (declared > MAX_UNPACKED_BYTES) throw unpacksToTooMuch();
  for (const { name, declaredBytes, packedBytes } of entries) {
    const ratio = declaredBytes / Math.max(1, packedBytes);
    if (declaredBytes > SMALL_PART_BYTES && ratio > MAX_RATIO) throw packedTooTightly(name, ratio);
  }
}

function noWorkbook(entries: readonly ZipEntry[]) {
  const foreign = FOREIGN.find(([part]) => entries.some(({ name }) => part.test(name)));
  if (foreign) return unsupported(foreign[1]);
  return unsupported('zip');
}

const OPEN = 0x3c;
const SLASH = 0x2f;
const COLON = 0x3a;
const LETTER_R = 0x72;
const LETTER_C = 0x63;
const LETTER_S = 0x73;
const LETTER_H = 0x68;

const ROW = [...'row'].map((letter) => letter.charCodeAt(0));
const CELL = [...'c'].map((letter) => letter.charCodeAt(0));
const TEXT = [...'si'].map((letter) => letter.charCodeAt(0));
const LINK = [...'hyperlink'].map((letter) => letter.charCodeAt(0));

/**
 * Renames hyperlink tags in place, because one may span all cells.
 * @throws ServiceError `parse_error` if there are too many rows, cells or shared strings.
 */
export function checkSheet(xml: Uint8Array): void {
  let rows = 0;
  let cells = 0;
  for (let at = xml.indexOf(OPEN); at >= 0; at = xml.indexOf(OPEN, at + 1)) {
    if (xml[at + 1] === SLASH) continue;
    const start = localName(xml, at + 1);
    const letter = xml[start];
    if (letter === LETTER_C && isName(xml, start, CELL)) cells++;
    else if (letter === LETTER_S && isName(xml, start, TEXT)) cells++;
    else if (letter === LETTER_R && isName(xml, start, ROW)) rows++;
    else if (letter === LETTER_H && isName(xml, start, LINK)) xml[start] = LETTER_H - 0x20;
  }
  if (rows > MAX_ROWS) throw tooManyRows(rows);
  if (cells > MAX_CELLS) throw tooManyCells(cells);
}

const LONGEST_PREFIX = 20;

function localName(xml: Uint8Array, start: number): number {
  for (let at = start; at < start + LONGEST_PREFIX; at++) {
    const code = xml[at];
    if (code === COLON) return at + 1;
    if (code === undefined || !isNamePart(code)) return start;
  }
  return start;
}

function isName(xml: Uint8Array, start: number, name: readonly number[]): boolean {
  for (let i = 0; i < name.length; i++) if (xml[start + i] !== name[i]) return false;
  const next = xml[start + name.length];
  return next === undefined || !isNamePart(next);
}

function isNamePart(code: number): boolean {
  const letter = code | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39)) return true;
  return code === 0x5f || code === 0x2d || code === 0x2e || code >= 0x80;
}

const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;

interface Part {
  name: string;
  bytes: number;
}

function storedZip(parts: readonly Part[]): { archive: Uint8Array; rooms: Uint8Array[] } {
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

interface ZipEntry {
  name: string;
  offset: number;
  packedBytes: number;
  declaredBytes: number;
  method: number;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** Marks a number stored in the extra field instead (APPNOTE 6.3, 4.5.3). */
const ELSEWHERE = 0xffffffff;
const ZIP64 = 0x0001;

/** Reads the central directory (APPNOTE 6.3, 4.3.12). Undefined if damaged or larger than 4 GB. */
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
    const numbers = [at + 24, at + 20, at + 42].map((place) => view.getUint32(place, true));
    const [declaredBytes, packedBytes, offset] = numbers.map((value) => (value === ELSEWHERE ? long.shift() : value));
    if (declaredBytes === undefined || packedBytes === undefined || offset === undefined) return undefined;
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, nameEnd));
    entries.push({ name, offset, packedBytes, declaredBytes, method: view.getUint16(at + 10, true) });
    at = extraEnd + view.getUint16(at + 32, true);
  }
  return entries;
}

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

/** Returns false if the entry is damaged or its size differs from the declared one. */
async function unpack(bytes: Uint8Array, entry: ZipEntry, room: Uint8Array): Promise<boolean> {
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
