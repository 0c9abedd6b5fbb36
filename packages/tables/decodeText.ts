import { ServiceError } from '../contract/errors.ts';
import type { Encoding } from '../contract/files.ts';

const WIDE_TEXT_NULS = 0.2;

const CONTEXT_BYTES = 64;

type Decode = (bytes: Uint8Array) => string;

function strictDecoder(encoding: Encoding): Decode {
  if (encoding === 'utf-8-windows-1252') return mixedDecoder();
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

/** For detection only: invalid bytes are reported when the file is read. */
export const looseText = (bytes: Uint8Array, encoding: Encoding): string =>
  encoding === 'utf-8-windows-1252' ? mixedDecoder()(bytes) : new TextDecoder(encoding).decode(bytes);

/** Decodes valid UTF-8 as such and every other byte as Windows-1252. */
function mixedDecoder(): Decode {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const single = new TextDecoder('windows-1252');
  const decoded = (bytes: Uint8Array): string | undefined => {
    try {
      return utf8.decode(bytes);
    } catch {
      return undefined;
    }
  };
  return (bytes) => {
    const whole = decoded(bytes);
    if (whole !== undefined) return whole;
    let text = '';
    let ascii = 0;
    for (let at = 0; at < bytes.length; ) {
      if (bytes[at]! < 0x80) {
        at++;
        continue;
      }
      text += single.decode(bytes.subarray(ascii, at));
      const length = lengthOf(bytes[at]!);
      const character = at + length <= bytes.length ? decoded(bytes.subarray(at, at + length)) : undefined;
      text += character ?? single.decode(bytes.subarray(at, at + 1));
      at += character === undefined ? 1 : length;
      ascii = at;
    }
    return text + single.decode(bytes.subarray(ascii));
  };
}

const lengthOf = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);

export class TextReader {
  private readonly decoder: Decode;
  private readonly encoding: Encoding;
  private held: Uint8Array = new Uint8Array(0);
  private offset: number;
  private surplus = 0;
  private readonly lineAfter: (text: string) => number;

  /**
   * @param markBytes Size of the byte order mark, already removed.
   * @param lineAfter Line number reached after `text`.
   */
  constructor(encoding: Encoding, markBytes: number, lineAfter: (text: string) => number) {
    this.encoding = encoding;
    this.offset = markBytes;
    this.lineAfter = lineAfter;
    this.decoder = strictDecoder(encoding);
  }

  /** @throws ServiceError `encoding_error`, or `parse_error` for a NUL. */
  read(piece: Uint8Array): string {
    const bytes = this.held.length > 0 ? joined(this.held, piece) : piece;
    const end = wholeCharacters(bytes, this.encoding);
    const text = this.decode(bytes.subarray(0, end)) ?? this.refuse(bytes);
    const nul = text.indexOf('\0');
    if (nul >= 0) this.refuseNul(text, nul);
    this.held = bytes.slice(end);
    this.offset += end;
    this.surplus += end - text.length;
    return text;
  }

  /** @throws ServiceError `encoding_error` if the file ends inside a character. */
  end(): string {
    if (this.encoding === 'utf-8-windows-1252') return this.decoder(this.held);
    return this.held.length > 0 ? this.refuse(this.held) : '';
  }

  private decode(bytes: Uint8Array): string | undefined {
    try {
      return this.decoder(bytes);
    } catch {
      return undefined;
    }
  }

  private refuse(bytes: Uint8Array): never {
    const at = this.validBytes(bytes);
    const before = this.decode(bytes.subarray(0, at)) ?? '';
    const line = this.lineAfter(before);
    const byte = bytes[at]!.toString(16).padStart(2, '0').toUpperCase();
    throw new ServiceError({
      reason: 'bytes_not_decodable',
      encoding: this.encoding.toUpperCase(),
      byte: `0x${byte}`,
      offset: this.offset + at,
      line,
      probably: this.probably(bytes, at),
    });
  }

  private probably(bytes: Uint8Array, at: number): Encoding | null {
    if (this.encoding !== 'utf-8') return null;
    const before = this.surplus + at - (this.decode(bytes.subarray(0, at)) ?? '').length;
    let start = Math.max(0, at - CONTEXT_BYTES);
    while (start < at && (bytes[start]! > 0x7f || (this.offset + start) % 2 === 1)) start++;
    return guessEncoding(bytes.subarray(start), before);
  }

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
    const offset = this.offset + bytes;
    const line = this.lineAfter(before);
    if (text.split('\0').length - 1 > WIDE_TEXT_NULS * text.length) {
      throw new ServiceError({
        reason: 'nul_between_characters',
        offset,
        line,
        probably: wideEncoding(offset % 2 === 1),
      });
    }
    throw new ServiceError({ reason: 'nul_byte', offset, line });
  }
}

function wholeCharacters(bytes: Uint8Array, encoding: Encoding): number {
  switch (encoding) {
    case 'utf-8':
    case 'utf-8-windows-1252':
      return wholeUtf8(bytes);
    case 'utf-16le':
    case 'utf-16be':
      return wholeUtf16(bytes, encoding === 'utf-16be');
    case 'shift_jis':
      return wholeShiftJis(bytes);
    default:
      return bytes.length;
  }
}

/** `bytes` must start at a character boundary. */
function wholeShiftJis(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    const length = (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc) ? 2 : 1;
    if (at + length > bytes.length) return at;
    at += length;
  }
  return at;
}

function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = lengthOf(byte);
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

const MAX_BYTES = 64 * 1024;
/** Mean run of non-ASCII bytes that indicates whole words. */
const WHOLE_WORDS = 3;
const MIN_OF_SCRIPT = 0.8;

const SINGLE_BYTE = ['windows-1252', 'iso-8859-15', 'macintosh'] as const;

/**
 * Guesses the encoding of invalid UTF-8.
 * @param before Bytes of non-ASCII UTF-8 characters seen so far.
 */
export function guessEncoding(bytes: Uint8Array, before = 0): Encoding {
  const sample = bytes.subarray(0, MAX_BYTES);
  const wide = wideText(sample);
  if (wide) return wide;
  const lossy = new TextDecoder().decode(sample);
  const valid = before + countOf(lossy, /[^\0-\x7f\ufffd]/g);
  if (valid > countOf(lossy, /\ufffd/g)) return 'utf-8-windows-1252';
  return wholeWords(sample) ?? singleByte(sample);
}

function wideText(sample: Uint8Array): Encoding | undefined {
  const nuls = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) nuls[i % 2]!++;
  if (nuls[0]! + nuls[1]! <= WIDE_TEXT_NULS * sample.length) return undefined;
  return wideEncoding(nuls[1]! > nuls[0]!);
}

const wideEncoding = (littleEndian: boolean): Encoding => (littleEndian ? 'utf-16le' : 'utf-16be');

function wholeWords(sample: Uint8Array): Encoding | undefined {
  const japanese = new TextDecoder('shift_jis').decode(sample);
  if (isOf(japanese, /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]/g) && countOf(japanese, /[\u3040-\u30ff]/g) > 0) {
    return 'shift_jis';
  }
  const runs = new TextDecoder('latin1').decode(sample).match(/[\x80-\xff]+/g) ?? [];
  if (runs.reduce((sum, run) => sum + run.length, 0) < WHOLE_WORDS * runs.length) return undefined;
  return isOf(new TextDecoder('windows-1251').decode(sample), /[\u0400-\u045f]/g) ? 'windows-1251' : undefined;
}

const isOf = (text: string, script: RegExp): boolean =>
  countOf(text, script) >= MIN_OF_SCRIPT * countOf(text, /[^\0-\x7f]/g);

function singleByte(sample: Uint8Array): Encoding {
  const scored = SINGLE_BYTE.map((encoding) => ({ encoding, score: readability(sample, encoding) }));
  return scored.reduce((a, b) => (b.score > a.score ? b : a)).encoding;
}

function readability(sample: Uint8Array, encoding: Encoding): number {
  const text = new TextDecoder(encoding).decode(sample);
  const letters = countOf(text, /(?<=\p{Ll})[\u00df-\u00f6\u00f8-\u00ff\u0153\u0161\u017e]/gu);
  const initials = countOf(
    text,
    /(?<![\p{L}])[\u00c0-\u00f6\u00f8-\u00ff\u0152\u0160\u017d\u0153\u0161\u017e](?=\p{Ll})/gu,
  );
  const marks = countOf(
    text,
    /(?<=\p{L})\u2019(?=\p{L})|[\u201c\u2018](?=\p{L})|(?<=[\p{L}.,!?])[\u201d\u2019\u2026]/gu,
  );
  const signs = countOf(text, /(?<=\d ?)[€°£]|[€£](?= ?\d)|(?<=[ \d])[–—](?=[ \d])/gu);
  const astray = countOf(text, /(?<=\p{Ll})[\u00c0-\u00de\p{S}\p{C}\u2020-\u2022]|[\x80-\x9f]/gu);
  return letters + initials + marks + signs - 2 * astray;
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
