/**
 * What texts give away. Canaries (a name, a number, an address) are planted in 1, in 3 and, all of one owner, in 10 texts, and
 * looked for in as many new texts, whole and by their beginnings. Membership by a likelihood ratio: what a text costs under an
 * n-gram of other real texts, less what it costs under one of the new texts; trained on the training texts themselves,
 * which shows what the attack can find. TEXT_TABLES names tables.
 */
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { rocAuc } from '../packages/synthesis/judge/intervals.ts';
import { costOf } from '../packages/synthesis/judge/text/textScores.ts';
import { type ModelTable, type TextResources, textColumn } from '../packages/synthesis/models/model.ts';
import { languageModel } from '../packages/synthesis/models/text/languageModel.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import type { Bench } from './support/bench.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { printTable } from './support/printTable.ts';
import { sharedData } from './support/sharedTables.ts';
import { openResources, parted, readCase } from './text/partedTable.ts';

const CASES = [
  ['movies', 'Title'],
  ['wine_reviews_au', 'description'],
] as const;
/** Texts in which a canary of each kind stands. */
const TIMES = [1, 3, 10];
/** Rows that are learnt from, at most. */
const ROWS = 2000;

interface Canary {
  kind: string;
  times: number;
  whole: string;
  /** So much of it that nothing else begins so. */
  beginning: string;
}

/** Words that no language has. */
function madeWord(random: RandomStream): string {
  const syllable = () => 'bdgklmnprstvz'[random.integer(13)]! + 'aeiou'[random.integer(5)]!;
  const word = `${syllable()}${syllable()}${syllable()}x`;
  return word[0]!.toUpperCase() + word.slice(1);
}

function canariesOf(random: RandomStream): Canary[] {
  return TIMES.flatMap((times) => {
    const [name, street] = [madeWord(random), madeWord(random)];
    const number = String(100_000 + random.integer(900_000));
    return [
      { kind: 'name', times, whole: `Amelia ${name}`, beginning: name.slice(0, 5) },
      { kind: 'number', times, whole: number, beginning: number.slice(0, 5) },
      { kind: 'address', times, whole: `47 ${street} Lane`, beginning: street.slice(0, 5) },
    ];
  });
}

const SENTENCES: Readonly<Record<string, (canary: string) => string>> = {
  name: (canary) => ` Poured by ${canary}.`,
  number: (canary) => ` Bottle no. ${canary}.`,
  address: (canary) => ` Sold at ${canary}.`,
};

/** The first rows get the canaries; those of ten texts have one owner. */
function plant(table: ModelTable, column: string, canaries: readonly Canary[]) {
  const values = [...textColumn(table, column).values];
  const owners = Int32Array.from({ length: table.rows }, (_, row) => row);
  let row = 0;
  for (const { kind, times, whole } of canaries) {
    const first = row;
    for (; row < first + times; row++) {
      values[row] = `${values[row] ?? ''}${SENTENCES[kind]!(whole)}`;
      if (times === Math.max(...TIMES)) owners[row] = first;
    }
  }
  const columns = new Map(table.columns).set(column, { kind: 'text', name: column, values });
  return { table: { rows: table.rows, columns }, owners };
}

async function write(
  { table, owners }: ReturnType<typeof plant>,
  column: string,
  given: string[],
  resources: TextResources,
): Promise<string[]> {
  const openText = async () => resources;
  const quiet = { onProgress: async () => {}, yieldToEventLoop: async () => {} };
  const fitted = await languageModel.fit({
    table,
    owners,
    columns: [column],
    given,
    settings: FIT_SETTINGS,
    openText,
    ...quiet,
    random: createStream(1, 'bench/textPrivacy'),
  });
  const made = await fitted.sample({
    rows: table.rows,
    made: table,
    openText,
    ...quiet,
    random: createStream(2, 'bench/textPrivacy'),
  });
  return textsOf({ rows: table.rows, columns: new Map(made.map((own) => [own.name, own])) }, column);
}

const textsOf = (table: ModelTable, column: string): string[] =>
  textColumn(table, column).values.flatMap((text) => (text ? [text] : []));

/** Rows in an order that says nothing: films stand by their years and series. */
const shuffled = (table: ModelTable): Int32Array => shuffledRows(table.rows, createStream(4, 'bench/textPrivacy'));

/** AUC with its interval: texts of the table against texts like them, by the ratio of a reference to what the texts tell. */
function membershipBy(shown: readonly string[], inside: string[], outside: string[], reference: string[]): string {
  const scores = (texts: string[]): Float64Array => {
    const [far, near] = [costOf(reference, texts)!, costOf(shown, texts)!];
    return near.bits.map((bits, k) => far.bits[k]! - bits);
  };
  const { value, interval } = rocAuc(scores(inside), scores(outside))!;
  return `${value.toFixed(3)} (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`;
}

const found = (texts: readonly string[], part: string): number => texts.filter((text) => text.includes(part)).length;

async function measureCase(folder: string, [name, column]: (typeof CASES)[number], resources: TextResources) {
  const { table, given } = readCase(folder, name);
  const { training, heldOut } = parted(table, column);
  const rows = Math.min(ROWS, Math.floor(training.rows / 2));
  const order = shuffled(training);
  const reference = textsOf(takeRows(training, order.slice(rows, 2 * rows)), column);
  const canaries = canariesOf(createStream(3, 'bench/textPrivacy'));
  const planted = plant(takeRows(training, order.slice(0, rows)), column, canaries);
  const texts = await write(planted, column, given, resources);
  const learnt = textsOf(planted.table, column);
  console.log(`\n${name}: ${rows} rows\n`);
  printTable(
    ['canary', 'texts that have it', 'new texts that do', 'and that have its beginning'],
    canaries.map(({ kind, whole, beginning }) => [
      kind,
      found(learnt, whole),
      found(texts, whole),
      found(texts, beginning),
    ]),
  );
  // Without the canaries, which would stand out.
  const inside = learnt.slice(canaries.reduce((sum, { times }) => sum + times, 0));
  const outside = textsOf(heldOut, column);
  const by = (shown: string[]) => membershipBy(shown, inside.slice(0, outside.length), outside, reference);
  console.log(`\nmembership: by new texts ${by(texts)}, by the training texts themselves ${by(learnt)}`);
}

export const bench: Bench = {
  title:
    'Canaries in texts, and membership of texts by a likelihood ratio: none comes out, and .5 lies in the interval',
  async run() {
    if (sharedData === undefined) throw new Error('it reads the tables of ../shared, which is not there');
    const resources = await openResources();
    const asked = process.env.TEXT_TABLES?.split(',');
    for (const one of CASES) if (!asked || asked.includes(one[0])) await measureCase(sharedData, one, resources);
  },
};
