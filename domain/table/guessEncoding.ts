/** What a text that is not UTF-8 probably is: a guess for a message, by how well the text reads. */

/** Bytes that are looked at, at most. */
const MOST_BYTES = 64 * 1024;
/** Above this share of NULs, text is two bytes a character. */
const WIDE_TEXT_NULS = 0.2;
/** Bytes above ASCII in a row, on average, from which on whole words and not single letters are written in them. */
const WHOLE_WORDS = 3;
/** Share of the characters above ASCII that have to be of the script. */
const LEAST_OF_SCRIPT = 0.8;

const MIXED = 'UTF-8 with bytes of Windows-1252 mixed in, or cut inside characters';

/** In the order of preference where they read equally well. */
const SINGLE_BYTE = [
  { label: 'windows-1252', name: 'Windows-1252' },
  { label: 'iso-8859-15', name: 'ISO-8859-15 (Latin-9)' },
  { label: 'macintosh', name: 'Mac Roman' },
] as const;

/**
 * The name of the probable encoding of `bytes`, which are not UTF-8 throughout. `before` is the number of bytes of
 * characters beyond ASCII that were valid UTF-8 in the file so far.
 */
export function guessEncoding(bytes: Uint8Array, before = 0): string {
  const sample = bytes.subarray(0, MOST_BYTES);
  const wide = wideText(sample);
  if (wide) return wide;
  const lossy = new TextDecoder().decode(sample);
  const valid = before + countOf(lossy, /[^\0-\x7f\ufffd]/g);
  if (valid > countOf(lossy, /\ufffd/g)) return MIXED;
  return wholeWords(sample) ?? singleByte(sample);
}

/** UTF-16 without a byte order mark, by where the NULs stand; undefined where there are few. */
function wideText(sample: Uint8Array): string | undefined {
  const nuls = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) nuls[i % 2]!++;
  if (nuls[0]! + nuls[1]! <= WIDE_TEXT_NULS * sample.length) return undefined;
  return wideEncoding(nuls[1]! > nuls[0]!);
}

/** The name of UTF-16 that does not say its byte order; `littleEndian` where the NULs stand at odd offsets. */
export const wideEncoding = (littleEndian: boolean): string =>
  `UTF-16 ${littleEndian ? 'LE' : 'BE'} without a byte order mark`;

/** Scripts whose words have no ASCII letters at all. */
function wholeWords(sample: Uint8Array): string | undefined {
  const japanese = new TextDecoder('shift_jis').decode(sample);
  if (isOf(japanese, /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]/g) && countOf(japanese, /[\u3040-\u30ff]/g) > 0) {
    return 'Shift-JIS';
  }
  const runs = new TextDecoder('latin1').decode(sample).match(/[\x80-\xff]+/g) ?? [];
  if (runs.reduce((sum, run) => sum + run.length, 0) < WHOLE_WORDS * runs.length) return undefined;
  return isOf(new TextDecoder('windows-1251').decode(sample), /[\u0400-\u045f]/g) ? 'Windows-1251' : undefined;
}

const isOf = (text: string, script: RegExp): boolean =>
  countOf(text, script) >= LEAST_OF_SCRIPT * countOf(text, /[^\0-\x7f]/g);

function singleByte(sample: Uint8Array): string {
  const scored = SINGLE_BYTE.map(({ label, name }) => ({ name, score: readability(sample, label) }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  const hasControls = sample.some((byte) => byte >= 0x80 && byte < 0xa0);
  return best.name === 'Windows-1252' && !hasControls ? 'Windows-1252 or ISO-8859-1 (Latin-1)' : best.name;
}

/** Characters beyond ASCII that stand where such are written, less those that do not. */
function readability(sample: Uint8Array, label: string): number {
  const text = new TextDecoder(label).decode(sample);
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
