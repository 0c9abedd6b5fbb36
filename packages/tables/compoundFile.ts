/** Filters an .xls workbook before a parser reads it. */
import { MAX_CELLS, tooManyCells } from './workbookLimits.ts';

/** Streams of a compound file (MS-CFB), by name; none is longer than the file. */

export interface CompoundFile {
  names: string[];
  stream(name: string): Uint8Array<ArrayBuffer> | undefined;
}

const HEADER_BYTES = 512;
const FIRST_DIFAT = 76;
const HEADER_DIFAT = 109;
const ENTRY_BYTES = 128;
const LAST_SECTOR = 0xfffffffa;
const MINI_STREAM_BELOW = 4096;
const MINI_SECTOR_BYTES = 64;

const ROOT = 5;
const STREAM = 2;

interface Entry {
  name: string;
  type: number;
  start: number;
  size: number;
}

/** Returns undefined if the header or the sector tables are damaged. */
export function compoundFile(bytes: Uint8Array): CompoundFile | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const sectors = Sectors.of(bytes);
  if (!sectors) return undefined;
  const directory = sectors.chain(sectors.u32(48));
  if (!directory) return undefined;
  const entries = entriesOf(directory);
  return {
    names: entries.map(({ name }) => name),
    stream: (name) => {
      const entry = entries.find((each) => each.type === STREAM && each.name.toLowerCase() === name.toLowerCase());
      return entry && readStream(sectors, entries, entry);
    },
  };
}

function entriesOf(directory: Uint8Array): Entry[] {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const type = view.getUint8(at + 66);
    if (type === 0) continue;
    const nameBytes = Math.max(0, Math.min(64, view.getUint16(at + 64, true)) - 2);
    const name = new TextDecoder('utf-16le').decode(directory.subarray(at, at + nameBytes));
    entries.push({ name, type, start: view.getUint32(at + 116, true), size: view.getUint32(at + 120, true) });
  }
  return entries;
}

function readStream(sectors: Sectors, entries: Entry[], { start, size }: Entry): Uint8Array<ArrayBuffer> | undefined {
  if (size >= MINI_STREAM_BELOW) return sectors.chain(start)?.slice(0, size);
  const root = entries.find(({ type }) => type === ROOT);
  const room = root && sectors.chain(root.start);
  const table = sectors.chain(sectors.u32(60));
  if (!room || !table) return undefined;
  const next = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const stream = new Uint8Array(Math.ceil(size / MINI_SECTOR_BYTES) * MINI_SECTOR_BYTES);
  let sector = start;
  for (let at = 0; at < stream.length; at += MINI_SECTOR_BYTES) {
    if (sector * MINI_SECTOR_BYTES >= room.length || 4 * sector + 4 > table.length) return undefined;
    stream.set(room.subarray(sector * MINI_SECTOR_BYTES, (sector + 1) * MINI_SECTOR_BYTES), at);
    sector = next.getUint32(4 * sector, true);
  }
  return stream.slice(0, size);
}

class Sectors {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly size: number;
  private readonly count: number;
  private readonly next: Uint32Array;

  static of(bytes: Uint8Array): Sectors | undefined {
    const shift = bytes[30]!;
    if (shift !== 9 && shift !== 12) return undefined;
    const sectors = new Sectors(bytes, 2 ** shift);
    return sectors.readTable() ? sectors : undefined;
  }

  private constructor(bytes: Uint8Array, size: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.size = size;
    // Many programs truncate the last sector.
    this.count = Math.ceil(bytes.length / size) - 1;
    this.next = new Uint32Array(this.count).fill(0xffffffff);
  }

  u32(at: number): number {
    return at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : 0xffffffff;
  }

  /** Returns undefined if the chain loops or leaves the file. */
  chain(start: number): Uint8Array<ArrayBuffer> | undefined {
    const places: number[] = [];
    for (let sector = start; sector < LAST_SECTOR; sector = this.next[sector]!) {
      if (sector >= this.count || places.length >= this.count) return undefined;
      places.push((sector + 1) * this.size);
    }
    const chained = new Uint8Array(places.length * this.size);
    for (const [index, place] of places.entries()) {
      chained.set(this.bytes.subarray(place, place + this.size), index * this.size);
    }
    return chained;
  }

  private readTable(): boolean {
    const perSector = this.size / 4;
    const tables: number[] = [];
    for (let i = 0; i < HEADER_DIFAT; i++) tables.push(this.u32(FIRST_DIFAT + 4 * i));
    let more = this.u32(68);
    for (let left = Math.ceil(this.count / perSector); more < LAST_SECTOR && left > 0; left--) {
      if (more >= this.count) return false;
      const place = (more + 1) * this.size;
      for (let i = 0; i < perSector - 1; i++) tables.push(this.u32(place + 4 * i));
      more = this.u32(place + this.size - 4);
    }
    const used = tables.filter((sector) => sector < LAST_SECTOR);
    for (const [index, sector] of used.slice(0, Math.ceil(this.count / perSector)).entries()) {
      if (sector >= this.count) return false;
      const first = index * perSector;
      for (let i = 0; i < perSector && first + i < this.count; i++) {
        this.next[first + i] = this.u32((sector + 1) * this.size + 4 * i);
      }
    }
    return true;
  }
}

// Filters the records of an .xls workbook (MS-XLS).

const FRAME = [0x0809, 0x000a, 0x0085, 0x0022, 0x0042, 0x002f];
const SHARED = [0x041e, 0x00e0, 0x00fc, 0x003c, 0x00e5];
const CELLS = [0x0203, 0x027e, 0x00bd, 0x0204, 0x00d6, 0x00fd, 0x0205, 0x0006];
/** Result of the preceding formula; has no position of its own. */
const TEXT = 0x0207;
const KEPT = new Set([...FRAME, ...SHARED, ...CELLS, TEXT]);
const CELL = new Set(CELLS);

const RECORD_HEADER_BYTES = 4;
/** Row, column and format. Parsers hang on shorter records. */
const MIN_CELL_BYTES = 6;
/** Parsers hang on shorter records. */
const MIN_TEXT_BYTES = new Map([
  [0x0204, 8],
  [0x00d6, 8],
  [TEXT, 2],
  [0x0085, 7],
  [0x041e, 3],
]);
const BEGIN = 0x0809;
const END = 0x000a;
const VERSIONS = [0x0500, 0x0600];
/** Formula expressions are cut, because parsers hang on some. */
const FORMULA = 0x0006;
const FORMULA_BYTES = 22;
const NOT_THERE = 0xffff;
const SILENT = 0x0060;
const NUMBERS = 0x00bd;
const NUMBER_BYTES = 6;

/**
 * Blanks unneeded records in place. Returns false if the stream is malformed.
 * @throws ServiceError `parse_error` if there are too many cells.
 */
export function checkRecords(stream: Uint8Array): boolean {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  if (stream.length < RECORD_HEADER_BYTES + 2 || view.getUint16(0, true) !== BEGIN) return false;
  if (!VERSIONS.includes(view.getUint16(RECORD_HEADER_BYTES, true))) return false;
  let cells = 0;
  let last = -1;
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= stream.length) {
    const type = view.getUint16(at, true);
    const length = view.getUint16(at + 2, true);
    // Zeros may follow the last sheet.
    if (type === 0 && last === END) break;
    if (at + RECORD_HEADER_BYTES + length > stream.length) return false;
    if (!KEPT.has(type)) view.setUint16(at, SILENT, true);
    if (length < leastBytes(type)) return false;
    if (type === FORMULA) view.setUint16(at + RECORD_HEADER_BYTES + FORMULA_BYTES - 2, NOT_THERE, true);
    if (CELL.has(type)) cells += type === NUMBERS ? Math.max(1, Math.floor(length / NUMBER_BYTES)) : 1;
    at += RECORD_HEADER_BYTES + length;
    last = type;
  }
  if (cells > MAX_CELLS) throw tooManyCells(cells);
  // Parsers mistake two or three trailing bytes for a record without a length.
  return at === stream.length || (last === END && stream[at] === 0 && (stream[at + 1] ?? 0) === 0);
}

function leastBytes(type: number): number {
  if (type === FORMULA) return FORMULA_BYTES;
  return MIN_TEXT_BYTES.get(type) ?? (CELL.has(type) ? MIN_CELL_BYTES : 0);
}
