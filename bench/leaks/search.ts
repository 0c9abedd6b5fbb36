/** Looks for cells in bytes of any kind: in the usual encodings, and in what is packed or encoded inside. */
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import type { Canary, Trace } from './canaries.ts';

/** How often a canary stands somewhere, and the forms in which it does. */
export interface Found {
  count: number;
  forms: ReadonlySet<string>;
}

interface Needle {
  /** Bytes as latin-1 characters; small letters where `anyCase`. */
  bytes: string;
  form: string;
  /** Letters are looked for in capitals and small. */
  anyCase: boolean;
  /** No letter or digit stands beside it. */
  alone: boolean;
}

const latin1 = (bytes: Uint8Array | Buffer): string => Buffer.from(bytes).toString('latin1');

export class CanarySearch {
  readonly #needles: ReadonlyMap<string, readonly Needle[]>;

  constructor(canaries: readonly Canary[]) {
    this.#needles = new Map(canaries.map(({ name, traces }) => [name, distinct(traces.flatMap(needlesOf))]));
  }

  /** By the name of a canary: where it stands in the bytes, or in what they hold packed; those alone that do. */
  look(bytes: Uint8Array): Map<string, Found> {
    const found = new Map<string, { count: number; forms: Set<string> }>();
    for (const layer of layersOf(bytes)) {
      const exact = latin1(layer);
      const small = exact.toLowerCase();
      for (const [name, needles] of this.#needles) {
        for (const needle of needles) {
          const count = occurrences(needle.anyCase ? small : exact, needle);
          if (count === 0) continue;
          const own = found.get(name) ?? { count: 0, forms: new Set() };
          found.set(name, { count: own.count + count, forms: own.forms.add(needle.form) });
        }
      }
    }
    return found;
  }
}

function distinct(needles: readonly Needle[]): Needle[] {
  const byBytes = new Map<string, Needle>();
  for (const needle of needles) if (!byBytes.has(needle.bytes)) byBytes.set(needle.bytes, needle);
  return [...byBytes.values()];
}

function occurrences(haystack: string, { bytes, alone }: Needle): number {
  let count = 0;
  for (let at = haystack.indexOf(bytes); at >= 0; at = haystack.indexOf(bytes, at + 1)) {
    if (!alone || !(isWord(haystack[at - 1]) || isWord(haystack[at + bytes.length]))) count++;
  }
  return count;
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\da-z]/i.test(character);

const needlesOf = ({ texts, numbers }: Trace): Needle[] => [
  ...texts.flatMap(textNeedles),
  ...numbers.flatMap(numberNeedles),
];

/** A text: as it is, escaped as in JSON, HTML, XML, addresses and CSV, in UTF-16, in base64. */
function textNeedles(text: string): Needle[] {
  const escapes: [form: string, text: string][] = [
    ['plain', text],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)],
    ['ASCII JSON', text.replace(/[^ -~]|[<>&'"]/g, (character) => `\\u${hexOf(character)}`)],
    ['HTML', entities(text, '&quot;', '&#39;')],
    ['XML', entities(text, '"', "'")],
    ['address', encodeURIComponent(text)],
    ['form', encodeURIComponent(text).replaceAll('%20', '+')],
    ['CSV', text.replaceAll('"', '""')],
  ];
  const plain = escapes.map(([form, own]) => caseless(form, own));
  const wide = Buffer.from(text.toLowerCase(), 'utf16le');
  return [
    ...plain,
    { bytes: latin1(wide), form: 'UTF-16', anyCase: true, alone: false },
    { bytes: Buffer.from(text).toString('hex'), form: 'hexadecimal', anyCase: true, alone: false },
    ...base64Needles(Buffer.from(text)),
  ];
}

/** A word so short stands by chance in long base64, whose letters are of either case. */
const SHORT = 8;

const caseless = (form: string, text: string): Needle => ({
  form,
  anyCase: true,
  alone: text.length < SHORT,
  bytes: latin1(Buffer.from(text.toLowerCase())).toLowerCase(),
});

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

const entities = (text: string, quote: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);

/** A number: its digits with any separators, rounded to a whole number, with an exponent, and its eight bytes. */
function numberNeedles(value: number): Needle[] {
  const [whole = '', fraction = ''] = String(value).split('.');
  const wholes = ['', ',', '.', ' ', "'", '_', '\u00a0', '\u202f'].map((separator) =>
    whole.replace(/\B(?=(\d{3})+(?!\d))/g, separator),
  );
  const whole5 = whole.replace('-', '').length >= 5 || fraction === '' ? wholes : [];
  const digits = fraction === '' ? [] : wholes.flatMap((own) => [`${own}.${fraction}`, `${own},${fraction}`]);
  const written = [...whole5, ...digits, value.toExponential()].map(
    (own): Needle => ({ ...caseless('number', own), alone: true }),
  );
  return [...written, ...bytesOf(value)];
}

function bytesOf(value: number): Needle[] {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(value);
  const forms = [double, Buffer.from(double).reverse()];
  if (Number.isInteger(value)) {
    const integer = Buffer.alloc(8);
    integer.writeBigInt64LE(BigInt(value));
    forms.push(integer);
  }
  return forms.flatMap((bytes) => [
    { bytes: latin1(bytes), form: 'eight bytes', anyCase: false, alone: false },
    ...base64Needles(bytes),
  ]);
}

/** Base64 of longer bytes has these in one of three ways, by where they begin. */
function base64Needles(bytes: Buffer): Needle[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const upTo = Math.floor(((shift + bytes.length) * 8) / 6);
    return { bytes: whole.slice(from, upTo), form: 'base64', anyCase: false, alone: false };
  });
}

/** The bytes, and what is packed (zip, gzip) or encoded (base64 of arrays) inside, down to the third layer. */
function layersOf(bytes: Uint8Array, depth = 0): Uint8Array[] {
  if (depth >= 3) return [bytes];
  const inside = [...unpacked(bytes), ...decoded(bytes)];
  return [bytes, ...inside.flatMap((each) => layersOf(each, depth + 1))];
}

const ZIP = 'PK\u0003\u0004';
const GZIP = '\u001f\u008b';

function unpacked(bytes: Uint8Array): Uint8Array[] {
  const start = latin1(bytes.subarray(0, 4));
  try {
    if (start === ZIP) return Object.values(unzipSync(bytes));
    if (start.startsWith(GZIP)) return [gunzipSync(bytes)];
  } catch {
    return [];
  }
  return [];
}

/** Runs of base64 that are long enough to be an array. */
const decoded = (bytes: Uint8Array): Uint8Array[] =>
  [...latin1(bytes).matchAll(/[A-Za-z0-9+/]{64,}={0,2}/g)].map(([run]) => Buffer.from(run, 'base64'));
