/** Bytes to text, strictly: a byte that is not of the encoding is an error that says where it is. */
import { ServiceError } from '../errors.ts';
import type { Encoding } from './sniff.ts';
import { withCommas } from './wording.ts';

/** Above this share of NULs, text is two bytes a character. */
const WIDE_TEXT_NULS = 0.2;

const SAVE_AS_UTF8 = 'Save the file as UTF-8 (in Excel: "CSV UTF-8") and upload it again.';

const strictDecoder = (encoding: Encoding) => new TextDecoder(encoding, { fatal: true, ignoreBOM: true });

/** Decodes a file piece by piece; a character may lie across pieces. */
export class TextReader {
  private readonly decoder: ReturnType<typeof strictDecoder>;
  private readonly encoding: Encoding;
  /** Bytes of a character whose end has not come yet. */
  private held: Uint8Array = new Uint8Array(0);
  /** Bytes of the file before `held`. */
  private offset: number;
  private readonly lineAfter: (text: string) => number;

  /**
   * The byte order mark, of `markBytes` bytes, has been left out by the caller. `lineAfter` gives the number of the line
   * that is reached when `text` follows all texts read before.
   */
  constructor(encoding: Encoding, markBytes: number, lineAfter: (text: string) => number) {
    this.encoding = encoding;
    this.offset = markBytes;
    this.lineAfter = lineAfter;
    this.decoder = strictDecoder(encoding);
  }

  /** The text of the bytes up to the last whole character. Throws `encoding_error`, and `parse_error` for a NUL. */
  read(piece: Uint8Array): string {
    const bytes = this.held.length > 0 ? joined(this.held, piece) : piece;
    const end = wholeCharacters(bytes, this.encoding);
    const text = this.decode(bytes.subarray(0, end)) ?? this.refuse(bytes);
    const nul = text.indexOf('\0');
    if (nul >= 0) this.refuseNul(text, nul);
    this.held = bytes.slice(end);
    this.offset += end;
    return text;
  }

  /** Throws `encoding_error` where the file ends inside a character. */
  end(): void {
    if (this.held.length > 0) this.refuse(this.held);
  }

  private decode(bytes: Uint8Array): string | undefined {
    try {
      return this.decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  private refuse(bytes: Uint8Array): never {
    const at = this.validBytes(bytes);
    const before = this.decode(bytes.subarray(0, at)) ?? '';
    const line = this.lineAfter(before);
    const byte = bytes[at]!.toString(16).padStart(2, '0').toUpperCase();
    throw new ServiceError(
      'encoding_error',
      `The file is not valid ${this.encoding.toUpperCase()}: byte 0x${byte} at byte offset ${this.offset + at}, in line ${withCommas(line)}, does not decode. ${SAVE_AS_UTF8}`,
    );
  }

  /** Where the first character that does not decode begins, by halving: a part of what decodes, decodes. */
  private validBytes(bytes: Uint8Array): number {
    const whole = (length: number) => wholeCharacters(bytes.subarray(0, length), this.encoding);
    let valid = 0;
    let invalid = bytes.length + 1;
    while (invalid - valid > 1) {
      const middle = (valid + invalid) >>> 1;
      if (this.decode(bytes.subarray(0, whole(middle))) === undefined) invalid = middle;
      else valid = middle;
    }
    return whole(valid);
  }

  private refuseNul(text: string, at: number): never {
    const before = text.slice(0, at);
    const bytes = this.encoding === 'utf-8' ? new TextEncoder().encode(before).length : 2 * at;
    const where = `byte offset ${this.offset + bytes}, in line ${withCommas(this.lineAfter(before))}`;
    if (text.split('\0').length - 1 > WIDE_TEXT_NULS * text.length) {
      throw new ServiceError(
        'encoding_error',
        `The file has NUL bytes between its characters, the first at ${where}: it is probably UTF-16 without a byte order mark. ${SAVE_AS_UTF8}`,
      );
    }
    throw new ServiceError(
      'parse_error',
      `The file has a NUL byte at ${where}, which no text has: it is damaged or not a text file. Export the table again as CSV and upload that.`,
    );
  }
}

/** The length of `bytes` without a last character that is not complete. */
function wholeCharacters(bytes: Uint8Array, encoding: Encoding): number {
  return encoding === 'utf-8' ? wholeUtf8(bytes) : wholeUtf16(bytes, encoding === 'utf-16be');
}

function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function wholeUtf16(bytes: Uint8Array, bigEndian: boolean): number {
  const even = bytes.length - (bytes.length % 2);
  const lastHigh = even === 0 ? 0 : bytes[bigEndian ? even - 2 : even - 1]!;
  const isHighSurrogate = lastHigh >= 0xd8 && lastHigh < 0xdc;
  return isHighSurrogate ? even - 2 : even;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
