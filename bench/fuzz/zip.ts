/** Zip archives in their parts, to be changed and put together again: whole, or with lies about them. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { zipEntries } from '../../packages/tables/checkWorkbook.ts';

export interface ZipPart {
  name: string;
  bytes: Uint8Array;
  /** What the archive says of it where that is not the truth. */
  declaredBytes?: number;
  packedBytes?: number;
  method?: number;
  offset?: number;
}

/** The parts of an archive that is in order. */
export function zipParts(archive: Uint8Array): ZipPart[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  return (zipEntries(archive) ?? []).map(({ name, offset, packedBytes, method }) => {
    const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
    const packed = archive.subarray(start, start + packedBytes);
    return { name, bytes: new Uint8Array(method === 8 ? inflateRawSync(packed) : packed) };
  });
}

/** An archive of the parts, each deflated: quickly, or as small as can be by level 9. */
export function zipOf(parts: readonly ZipPart[], level = 1): Uint8Array {
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = new TextEncoder().encode(part.name);
    const packed = new Uint8Array(deflateRawSync(part.bytes, { level }));
    const fields = { ...part, name, packed };
    directory.push(header(fields, 46, part.offset ?? offset), name);
    pieces.push(header(fields, 30, 0), name, packed);
    offset += 30 + name.length + packed.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, parts.length, true);
  end.setUint16(10, parts.length, true);
  end.setUint32(16, offset, true);
  return new Uint8Array(Buffer.concat([...pieces, ...directory, new Uint8Array(end.buffer)]));
}

type Fields = Omit<ZipPart, 'name'> & { name: Uint8Array; packed: Uint8Array };

/** A local header of 30 bytes or a directory's of 46. */
function header(part: Fields, length: 30 | 46, offset: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  const shift = length === 46 ? 2 : 0;
  view.setUint32(0, length === 46 ? 0x02014b50 : 0x04034b50, true);
  view.setUint16(8 + shift, part.method ?? 8, true);
  view.setUint32(18 + shift, part.packedBytes ?? part.packed.length, true);
  view.setUint32(22 + shift, part.declaredBytes ?? part.bytes.length, true);
  view.setUint16(26 + shift, part.name.length, true);
  if (length === 46) view.setUint32(42, offset, true);
  return new Uint8Array(view.buffer);
}
