/** A table whose rare cells are known, so that they can be looked for in all that the service gives out. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';

/** One cell as it may be written: texts in any encoding, numbers in any format or as eight bytes. */
export interface Trace {
  texts: readonly string[];
  numbers: readonly number[];
}

/** Cells of one kind that nothing but the upload may hold. */
export interface Canary {
  name: string;
  traces: readonly Trace[];
}

export const TARGET = 'score';
/** Of `brokenTable`: counts, of which one is too large for every family of counts. */
export const BROKEN_TARGET = 'hits';

const ROWS = 600;
const KEYS = 60;

const RARE_LEVEL = 'Qvarn & Holt "relapse"';
const EXTREME = { amount: 98765.43, score: 4321.987, hits: 12_345_678_987_654_320 };
const EMAIL = 'zqxlo.vrunt@drubmek.example';
const PERSON = 'Zqxlo Vrunt';
const STREET = '4719 Wexbrundle Lane';
const PHONE = '+49 5571 8830264';
const NOTE =
  'The "grey heron" clock at Ostwick stopped <twice> while nobody in the tower had wound it & the sexton kept the key under a loaf.';

const text = (...texts: string[]): Trace => ({ texts, numbers: [] });

/** Eleven kinds of cells by which a person could be found. The row of each stands in `cellsOf`. */
export function canariesOf({ ids, keys, visits, births }: Drawn): Canary[] {
  return [
    { name: 'rare level', traces: [text(RARE_LEVEL)] },
    { name: 'extreme number', traces: Object.values(EXTREME).map((value) => ({ texts: [], numbers: [value] })) },
    { name: 'unique date', traces: TELLING_ROWS.map((row) => moment(visits[row]!)) },
    { name: 'unique id', traces: ids.filter((_, row) => row % 30 === 0).map((id) => text(id)) },
    { name: 'repeated id', traces: keys.map((key) => text(key)) },
    { name: 'e-mail', traces: [text(EMAIL)] },
    { name: 'person', traces: [text(PERSON), ...PERSON.split(' ').map((part) => text(part))] },
    { name: 'address', traces: [text(STREET), text('Wexbrundle')] },
    { name: 'phone', traces: [text(PHONE), text(PHONE.replaceAll(' ', '')), text('8830264')] },
    { name: 'note', traces: [text(NOTE), text('clock at ostwick stopped'), text('the sexton kept the key under')] },
    { name: 'birth', traces: [day(births.find((at) => at < LONG_AGO)!)] },
  ];
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** Rows whose moments are looked for. */
const TELLING_ROWS = [41, 173, 288, 402, 577];
/** One birth before this is looked for: chance hardly makes a given day of a century. */
const LONG_AGO = Date.UTC(1930, 0, 1);

const iso = (at: number): string => new Date(at).toISOString();
const dateOf = (at: number): string => iso(at).slice(0, 10);
const timeOf = (at: number): string => iso(at).slice(0, 19).replace('T', ' ');

/** As written, as ISO 8601, and as seconds and milliseconds since 1970. */
const moment = (at: number): Trace => ({
  texts: [timeOf(at), iso(at).slice(0, 19)],
  numbers: [at / SECOND, at],
});

/** As written, in two other orders, and as days since 1970. */
function day(at: number): Trace {
  const [year, month, dayOfMonth] = dateOf(at).split('-');
  return {
    texts: [dateOf(at), `${dayOfMonth}.${month}.${year}`, `${month}/${dayOfMonth}/${year}`],
    numbers: [at / DAY],
  };
}

interface Drawn {
  ids: string[];
  /** 60, each of ten rows. */
  keys: string[];
  /** Milliseconds since 1970: a second of the years 2020 to 2023; a day of the years 1905 to 2004. */
  visits: number[];
  births: number[];
}

export interface LeakTable {
  csv: string;
  canaries: Canary[];
}

/** 600 rows; the same for the same seed. */
export function leakTable(seed: number): LeakTable {
  const random = createStream(seed, 'leaks');
  const drawn = draw(random.child('cells'));
  const cells = cellsOf(drawn, random.child('table'));
  const names = Object.keys(cells);
  const rows = Array.from({ length: ROWS }, (_, row) => names.map((name) => quoted(cells[name]![row]!)).join(','));
  return { csv: [names.join(','), ...rows, ''].join('\n'), canaries: canariesOf(drawn) };
}

/** A table on which a regression fails while the job runs: one count is beyond what can be counted. */
export function brokenTable(): string {
  const rows = Array.from({ length: 200 }, (_, row) => `${row === 97 ? EXTREME.hits : row % 7},${row % 13}`);
  return [`${BROKEN_TARGET},other`, ...rows, ''].join('\n');
}

function draw(random: RandomStream): Drawn {
  const each = <T>(count: number, make: (random: RandomStream) => T): T[] =>
    Array.from({ length: count }, () => make(random));
  const hex = (length: number) => each(length, (own) => own.integer(16).toString(16).toUpperCase()).join('');
  const digits = (length: number) => each(length, (own) => String(own.integer(10))).join('');
  return {
    ids: each(ROWS, () => `KX-${hex(8)}`),
    keys: each(KEYS, () => `P7${digits(8)}`),
    visits: each(ROWS, (own) => Date.UTC(2020, 0, 1) + own.integer(4 * 365 * 86_400) * SECOND),
    births: each(ROWS, (own) => Date.UTC(1905, 0, 1) + own.integer(100 * 365) * DAY),
  };
}

/** The table by its columns. */
function cellsOf({ ids, keys, visits, births }: Drawn, random: RandomStream): Record<string, string[]> {
  const numbers = Array.from({ length: ROWS }, () => 120 + 30 * random.normal());
  const levels = ['stable', 'improved', 'worse', 'unclear'];
  const state = Array.from({ length: ROWS }, () => levels[random.integer(levels.length)]!);
  const amount = numbers.map((value) => value.toFixed(2));
  const score = numbers.map((value) => (0.4 * value + 6 * random.normal()).toFixed(3));
  const notes = Array.from({ length: ROWS }, () => sentence(random));
  state[88] = state[431] = RARE_LEVEL;
  amount[37] = String(EXTREME.amount);
  score[219] = String(EXTREME.score);
  notes[52] = `The letter came from ${EMAIL} before noon.`;
  notes[140] = `Asked for ${PERSON} at the desk and waited.`;
  notes[266] = `Now lives at ${STREET} with a dog.`;
  notes[315] = `Call ${PHONE} after the next visit.`;
  notes[498] = NOTE;
  return {
    record: ids,
    patient: ids.map((_, row) => keys[row % KEYS]!),
    state,
    amount,
    visited: visits.map(timeOf),
    born: births.map(dateOf),
    [TARGET]: score,
    note: notes,
  };
}

const SENTENCE = [
  ['The patient', 'A relative', 'The nurse', 'Somebody', 'The doctor'],
  ['came in on', 'wrote about', 'asked again for', 'called before', 'did not want'],
  ['the second visit', 'a new tablet', 'the long walk', 'some cold water', 'an early table', 'the blue form'],
  ['and felt', 'but was', 'and stayed', 'while being'],
  ['rather tired.', 'much better.', 'quite calm.', 'a little worried.', 'hungry.', 'in good spirits.'],
];

const sentence = (random: RandomStream): string =>
  SENTENCE.map((words) => words[random.integer(words.length)]!).join(' ');

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
