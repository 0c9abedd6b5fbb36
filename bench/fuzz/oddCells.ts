/** Tables of cells at the edge of what numbers are: keys with an `e` among their digits, exponents that no double has. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';

type Cell = (random: RandomStream) => string;

const pick = <T>(items: readonly T[], random: RandomStream): T => items[random.integer(items.length)]!;
const drawn = (characters: string, length: number, random: RandomStream): string =>
  Array.from({ length }, () => characters[random.integer(characters.length)]).join('');
const digits = (length: number, random: RandomStream): string => drawn('0123456789', length, random);
const sign = (random: RandomStream): string => pick(['', '', '-', '+'], random);
const exponent = (random: RandomStream, most: number): string =>
  `${pick(['e', 'E'], random)}${sign(random)}${random.integer(most)}`;

/** A key of hexadecimal digits; of the second kind, one that reads as a number with an exponent. */
const hexKey = (length: number): Cell => {
  const before = Math.ceil(length / 2);
  return (random) =>
    random.integer(4) > 0
      ? drawn('0123456789abcdef', length, random)
      : `${digits(before, random)}e${digits(length - before - 1, random)}`;
};

const EDGES = [
  '0e0 -0 -0.0 1e e5 1e+ . 5. .5 0x1F 1e400 -1e400 1e-400 4.9e-324 2.5e-324 1.7976931348623157e308 1.8e308 1e15 1e21',
  '-1.7976931348623157e308 0e-99999999999999999999 1e-99999999999999999999 1e99999999999999999999 Infinity -Infinity',
  'NaN 9007199254740993 -9007199254740993',
].flatMap((line) => line.split(' '));

const CELLS: readonly ((random: RandomStream) => Cell)[] = [
  (random) => hexKey(3 + random.integer(30)),
  () => (random) => `${sign(random)}${digits(1 + random.integer(3), random)}${exponent(random, 340)}`,
  () => (random) => `${sign(random)}${1 + random.integer(9)}.${digits(3, random)}${exponent(random, 309)}`,
  (random) => {
    const power = pick(['e300', 'e-300', 'e-320', 'e307', 'e154', 'e-160'], random);
    return (own) => `${sign(own)}${(own.uniform() * 9).toFixed(3)}${power}`;
  },
  () => (random) => digits(1 + random.integer(400), random),
  () => (random) => `0.${'0'.repeat(random.integer(400))}${digits(3, random)}`,
  (random) => {
    const length = 15 + random.integer(6);
    return (own) => digits(length, own);
  },
  () => (random) => pick(EDGES, random),
  () => (random) => (random.integer(3) > 0 ? String(random.integer(100)) : pick(EDGES, random)),
  () => (random) =>
    `${pick(['$', '', '€ '], random)}${digits(1 + random.integer(320), random)}${pick(['', ' %', ' kg'], random)}`,
];

const MAX_COLUMNS = 5;
const MAX_ROWS = 120;

/** A CSV file of such columns; some cells are missing, some columns repeat their cells. The same stream gives the same file. */
export function tableOfOddCells(random: RandomStream): Uint8Array {
  const rows = 1 + random.integer(MAX_ROWS);
  const columns = Array.from({ length: 1 + random.integer(MAX_COLUMNS) }, () => columnOf(rows, random));
  const lines = Array.from({ length: rows }, (_, row) => columns.map((cells) => cells[row]).join(','));
  return new TextEncoder().encode(`${columns.map((_, at) => `c${at}`).join(',')}\n${lines.join('\n')}\n`);
}

function columnOf(rows: number, random: RandomStream): string[] {
  const cell = pick(CELLS, random)(random);
  const most = random.integer(2) === 0 ? rows : 1 + random.integer(rows);
  const known: string[] = [];
  const missing = random.integer(3) === 0 ? 5 : 0;
  return Array.from({ length: rows }, () => {
    if (missing > 0 && random.integer(missing) === 0) return '';
    if (known.length < most) known.push(cell(random));
    return known.length < most ? known.at(-1)! : pick(known, random);
  });
}
