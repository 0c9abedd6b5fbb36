import type { RandomStream } from '../../../numerics/random/stream.ts';
import { WINDOW } from '../../disclosure/guardTexts.ts';
import { lengthOf } from './lengths.ts';
import type { Mixer } from './mixture.ts';
import type { Decoder } from './network/decoder.ts';
import { NO_SIGNS, type Punctuator, type Signs } from './punctuation.ts';
import { sampleToken } from './sampleToken.ts';
import { type Spelled, type Speller, UNSPELLED } from './speller.ts';
import { afterBytes, decodePieces, type Utf8State, WHOLE } from './tokens/bytePairs.ts';
import { END, type Vocabulary } from './tokens/vocabulary.ts';

/** Limits per attempt: rewinds after a forbidden part, dead end or early end, and tokens of each. */
const REWINDS = 20;
const REWOUND = 12;

export interface WritingTask {
  decoder: Decoder;
  vocabulary: Vocabulary;
  nucleus: number;
  rows: number;
  prefix(row: number): number[];
  columns: readonly WrittenColumn[];
  random: RandomStream;
  /** Returns how many characters to keep when rewriting; keeping none uses up one of `attempts`. */
  accept(column: number, row: number, text: string): 'taken' | number;
  attempts: number;
  /** Minimum characters. */
  earliest(column: number, row: number): number;
  /** Factor of END's probability after so many characters. */
  eagerness(column: number, row: number, characters: number): number;
  /** False refuses the text early. */
  mayHave(column: number, part: string): boolean;
  onProgress(finished: number): Promise<void>;
}

interface WrittenColumn {
  marker: number;
  mixer: Mixer | null;
  punctuator: Punctuator;
  speller: Speller | null;
  longest: number;
}

/** One less than a shared run. */
const KEPT = WINDOW - 1;
const END_OF_WORD = ' ';
const STEPS_A_REPORT = 8;
/** Drops finished slots, since tokens cost by slot, once one in eight remains. */
const DONE_TO_NARROW = 8;
const MIN_SLOTS_TO_NARROW = 32;

interface TextState {
  utf8: Utf8State;
  /** Unread pieces, number of characters, and the last of them. */
  unread: readonly Uint8Array[];
  characters: number;
  tail: string;
  signs: Signs;
  spelled: Spelled;
}

const BEGUN: TextState = { utf8: WHOLE, unread: [], characters: 0, tail: '', signs: NO_SIGNS, spelled: UNSPELLED };

interface Slot {
  row: number;
  attempt: number;
  random: RandomStream;
  column: number;
  /** Tokens to read before drawing. */
  pending: number[];
  /** Tokens before the column's marker, for restarts. */
  before: number[];
  /** Tokens, after the start symbol. */
  text: number[];
  state: TextState;
  /** States before each token. */
  past: TextState[];
  rewinds: number;
}

/** After `attempts` refusals, rows keep what `accept` made of them. */
export async function writeRows(task: WritingTask): Promise<void> {
  const { decoder, rows } = task;
  const order = longestFirst(task);
  let [begun, finished] = [0, 0];
  const beginNext = (): Slot | null => (begun < rows ? beginRow(task, order[begun++]!) : null);
  let slots = Array.from({ length: decoder.slots }, beginNext);
  for (let step = 0; slots.some((slot) => slot !== null); step++) {
    slots = await narrowed(slots, decoder);
    const tokens = Int32Array.from(slots, (slot) => slot?.pending.shift() ?? END);
    const probabilities = await decoder.read(tokens);
    const pieces = probabilities.length / decoder.slots;
    for (const [k, slot] of slots.entries()) {
      if (slot && slot.pending.length > 0) continue;
      const state = slot ? proceed(task, slot, k, probabilities.subarray(k * pieces, (k + 1) * pieces)) : 'empty';
      if (state === 'goes on') continue;
      decoder.clear(k);
      if (state !== 'done') continue;
      finished++;
      slots[k] = beginNext();
    }
    if (step % STEPS_A_REPORT === 0) await task.onProgress(finished);
  }
  await task.onProgress(finished);
}

async function narrowed(slots: (Slot | null)[], decoder: Decoder): Promise<(Slot | null)[]> {
  const kept = [...slots.keys()].filter((k) => slots[k] !== null);
  if (slots.length < MIN_SLOTS_TO_NARROW || DONE_TO_NARROW * kept.length > slots.length) return slots;
  await decoder.narrow(kept);
  return kept.map((k) => slots[k]!);
}

/** Starts long texts first, so that slots finish together. */
function longestFirst({ rows, columns, earliest }: WritingTask): number[] {
  const least = (row: number): number => columns.reduce((sum, _, column) => sum + earliest(column, row), 0);
  const lengths = Float64Array.from({ length: rows }, (_, row) => least(row));
  return [...lengths.keys()].sort((a, b) => lengths[b]! - lengths[a]! || a - b);
}

function beginRow(task: WritingTask, row: number): Slot {
  const slot: Slot = {
    row,
    attempt: 0,
    random: task.random.child(`row ${row}`),
    column: 0,
    pending: [],
    before: task.prefix(row),
    text: [],
    state: BEGUN,
    past: [],
    rewinds: 0,
  };
  beginText(task, slot, slot.before);
  return slot;
}

function beginText({ columns, vocabulary }: WritingTask, slot: Slot, read: readonly number[]): void {
  slot.pending = [...read, columns[slot.column]!.marker];
  slot.text = [vocabulary.pieces.length];
  slot.state = BEGUN;
  slot.past = [];
  slot.rewinds = 0;
}

/** Changes the probabilities. */
function proceed(task: WritingTask, slot: Slot, at: number, probabilities: Float32Array): 'goes on' | 'again' | 'done' {
  const { vocabulary, columns, nucleus } = task;
  const column = columns[slot.column]!;
  const { mixer, speller, longest } = column;
  const { utf8, characters, spelled } = slot.state;
  mixer?.(probabilities, slot.text, slot.text.length);
  const isWhole = utf8.missing === 0 && slot.text.length > 1 && mayEnd(slot.state, column);
  const isEarly = characters < task.earliest(slot.column, slot.row);
  // Continuing after the network's END reads badly.
  const isEnded = isEarly && isWhole && slot.random.uniform() < probabilities[END]!;
  if (isEnded && goBack(task, slot, at, 0)) return 'goes on';
  const mayFollow = (token: number): boolean =>
    token === END
      ? isWhole && !isEarly
      : afterBytes(utf8, vocabulary.bytes[token]!) !== undefined &&
        isWellWritten(slot.state, column, vocabulary.bytes[token]!);
  // END is not favoured within words: "Peda" would end "Pedal".
  if (speller?.isWhole(spelled) ?? true) probabilities[END]! *= task.eagerness(slot.column, slot.row, characters);
  if (slot.text.length > longest) return endText(task, slot, at);
  const token = sampleToken(probabilities, nucleus, slot.random, mayFollow);
  // END also means that no token may follow.
  if (token === END) return mayFollow(END) ? endText(task, slot, at) : goBackOrRefuse(task, slot, at, 0);
  slot.text.push(token);
  slot.past.push(slot.state);
  slot.pending = [token];
  return mayGoOn(task, slot, column, vocabulary.bytes[token]!) ? 'goes on' : goBackOrRefuse(task, slot, at, 1);
}

const mayEnd = ({ signs, spelled }: TextState, { punctuator, speller }: WrittenColumn): boolean =>
  punctuator.mayEnd(signs) && (speller?.mayEnd(spelled) ?? true);

/** Incomplete characters wait for the next piece. */
function isWellWritten(
  { utf8, unread, signs, spelled }: TextState,
  { punctuator, speller }: WrittenColumn,
  bytes: Uint8Array,
): boolean {
  if (afterBytes(utf8, bytes)!.missing > 0) return true;
  const read = decodePieces([...unread, bytes]);
  return punctuator.after(signs, read) !== undefined && (!speller || speller.after(spelled, read) !== undefined);
}

function mayGoOn(task: WritingTask, slot: Slot, { punctuator, speller }: WrittenColumn, bytes: Uint8Array): boolean {
  const before = slot.state;
  const utf8 = afterBytes(before.utf8, bytes)!;
  const unread = [...before.unread, bytes];
  slot.state = { ...before, utf8, unread };
  if (utf8.missing > 0) return true;
  const read = decodePieces(unread);
  const signs = punctuator.after(before.signs, read) ?? before.signs;
  const spelled = speller?.after(before.spelled, read) ?? before.spelled;
  speller?.took(before.spelled, spelled);
  const part = before.tail + read;
  const characters = before.characters + lengthOf(read);
  slot.state = { utf8, unread: [], characters, tail: part.slice(-KEPT), signs, spelled };
  return task.mayHave(slot.column, part);
}

function goBackOrRefuse(task: WritingTask, slot: Slot, at: number, unread: number): 'goes on' | 'again' | 'done' {
  return goBack(task, slot, at, unread) ? 'goes on' : refuse(task, slot);
}

/** Rewinds a random number of tokens; `unread` ones are not in the cache. False if impossible or too often. */
function goBack(task: WritingTask, slot: Slot, at: number, unread: number): boolean {
  const most = Math.min(REWOUND, slot.past.length - 1);
  if (most < 1 || slot.rewinds === REWINDS) return false;
  slot.rewinds++;
  goBackTo(task, slot, at, { kept: slot.past.length - 1 - slot.random.integer(most), unread });
  return true;
}

function goBackTo(task: WritingTask, slot: Slot, at: number, { kept, unread }: { kept: number; unread: number }): void {
  const read = slot.past.length - unread;
  const state = slot.past[kept]!;
  task.columns[slot.column]!.speller?.took(slot.state.spelled, state.spelled);
  slot.state = state;
  slot.past.length = kept;
  slot.text.length = kept + 1;
  slot.pending = [slot.text[kept]!];
  task.decoder.rewind(at, read - kept + 1);
}

function endText(task: WritingTask, slot: Slot, at: number): 'goes on' | 'again' | 'done' {
  const { vocabulary, columns } = task;
  const { speller } = columns[slot.column]!;
  const ended = speller?.after(slot.state.spelled, END_OF_WORD);
  if (ended) {
    speller?.took(slot.state.spelled, ended);
    slot.state = { ...slot.state, spelled: ended };
  }
  const text = decodePieces(slot.text.slice(1).map((token) => vocabulary.bytes[token]!));
  const stays = task.accept(slot.column, slot.row, text);
  if (stays === 'taken') return nextColumn(task, slot);
  const kept = slot.past.findLastIndex(({ characters }) => characters <= stays);
  if (kept < 1) return refuse(task, slot);
  goBackTo(task, slot, at, { kept, unread: 0 });
  return 'goes on';
}

function refuse(task: WritingTask, slot: Slot): 'goes on' | 'again' | 'done' {
  slot.attempt++;
  if (slot.attempt === task.attempts) return nextColumn(task, slot);
  beginText(task, slot, slot.before);
  return 'again';
}

function nextColumn(task: WritingTask, slot: Slot): 'goes on' | 'done' {
  const { columns } = task;
  const own = slot.text.slice(1);
  const marker = columns[slot.column]!.marker;
  slot.before = [...slot.before, marker, ...own, END];
  slot.column++;
  slot.attempt = 0;
  if (slot.column === columns.length) return 'done';
  beginText(task, slot, [END]);
  return 'goes on';
}
