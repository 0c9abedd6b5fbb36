/** The streams of a compound file (MS-CFB), which an .xls workbook is: by name, none longer than the file. */

export interface CompoundFile {
  /** Names of streams and storages, in the order of the directory. */
  names: string[];
  /** The bytes of the first stream of this name; undefined where there is none of this name or it is damaged. */
  stream(name: string): Uint8Array<ArrayBuffer> | undefined;
}

const HEADER_BYTES = 512;
const FIRST_DIFAT = 76;
const HEADER_DIFAT = 109;
const ENTRY_BYTES = 128;
const LAST_SECTOR = 0xfffffffa;
const MINI_STREAM_BELOW = 4096;
const MINI_SECTOR_BYTES = 64;

/** A compound file's own entry, and of a stream. */
const ROOT = 5;
const STREAM = 2;

interface Entry {
  name: string;
  type: number;
  start: number;
  size: number;
}

/** Undefined where the header or the tables of sectors are damaged. */
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

/** The sectors of the file and the table of which follows which. */
class Sectors {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly size: number;
  private readonly count: number;
  private readonly next: Uint32Array;

  /** Undefined where a sector of the table lies outside the file. */
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
    // The last one may be cut off: many programs do not fill it.
    this.count = Math.ceil(bytes.length / size) - 1;
    this.next = new Uint32Array(this.count).fill(0xffffffff);
  }

  u32(at: number): number {
    return at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : 0xffffffff;
  }

  /** The bytes of a sector and of those that follow it. Undefined where they go round in a ring or out of the file. */
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

  /** Fills in the table, whose own sectors the header names, and sectors named by it where there are many. */
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
