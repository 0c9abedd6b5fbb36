/** Writes the texts of rows side by side: a slot that ends a row takes the next one. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Mixer } from './mixture.ts';
import type { Decoder } from './network/decoder.ts';
import { sampleToken } from './sampleToken.ts';
import { afterBytes, textOf, type Utf8State, WHOLE } from './tokens/utf8.ts';
import { END, type Vocabulary } from './tokens/vocabulary.ts';

export interface WritingTask {
  /** Gives probabilities. */
  decoder: Decoder;
  vocabulary: Vocabulary;
  /** Share of probability from which tokens are drawn. */
  nucleus: number;
  rows: number;
  prefix(row: number): number[];
  /** Of each column of text: its marker, its n-gram, and its longest text in tokens. */
  columns: readonly WrittenColumn[];
  random: RandomStream;
  /** Takes a finished text, or refuses it, the `tries` before too: then it is written again, at most `attempts` times in all. */
  accept(column: number, row: number, text: string, tries: number): boolean;
  attempts: number;
  /** Told after every few tokens, with the rows that are finished. */
  onProgress(finished: number): Promise<void>;
}

export interface WrittenColumn {
  marker: number;
  mixer: Mixer | null;
  longest: number;
}

/** Tokens between two reports. */
const STEPS_A_REPORT = 8;

interface Slot {
  row: number;
  attempt: number;
  random: RandomStream;
  column: number;
  /** Tokens to read before the next one is drawn. */
  pending: number[];
  /** What the row has read before the column's marker: to begin the column again. */
  before: number[];
  /** Tokens of the text, behind the sign for its start. */
  text: number[];
  utf8: Utf8State;
}

/** Rows whose text is refused `attempts` times keep what `accept` has made of them. */
export async function writeRows(task: WritingTask): Promise<void> {
  const { decoder, rows } = task;
  let [begun, finished] = [0, 0];
  const beginNext = (): Slot | null => (begun < rows ? beginRow(task, begun++) : null);
  const slots = Array.from({ length: decoder.slots }, beginNext);
  const tokens = new Int32Array(decoder.slots);
  for (let step = 0; slots.some((slot) => slot !== null); step++) {
    slots.forEach((slot, k) => {
      tokens[k] = slot?.pending.shift() ?? END;
    });
    const probabilities = await decoder.read(tokens);
    const pieces = probabilities.length / decoder.slots;
    for (const [k, slot] of slots.entries()) {
      if (slot && slot.pending.length > 0) continue;
      const state = slot ? proceed(task, slot, probabilities.subarray(k * pieces, (k + 1) * pieces)) : 'empty';
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

function beginRow(task: WritingTask, row: number): Slot {
  const slot: Slot = {
    row,
    attempt: 0,
    random: task.random.child(`row ${row}`),
    column: 0,
    pending: [],
    before: task.prefix(row),
    text: [],
    utf8: WHOLE,
  };
  beginText(task, slot, slot.before);
  return slot;
}

function beginText({ columns, vocabulary }: WritingTask, slot: Slot, read: readonly number[]): void {
  slot.pending = [...read, columns[slot.column]!.marker];
  slot.text = [vocabulary.pieces.length];
  slot.utf8 = WHOLE;
}

/** Draws the slot's next token, and says what becomes of it. Changes the probabilities. */
function proceed(task: WritingTask, slot: Slot, probabilities: Float32Array): 'goes on' | 'again' | 'done' {
  const { vocabulary, columns, nucleus } = task;
  const { mixer, longest } = columns[slot.column]!;
  mixer?.(probabilities, slot.text, slot.text.length);
  const mayFollow = (token: number): boolean =>
    token === END
      ? slot.utf8.missing === 0 && slot.text.length > 1
      : afterBytes(slot.utf8, vocabulary.bytes[token]!) !== undefined;
  const isFull = slot.text.length > longest;
  const token = isFull ? END : sampleToken(probabilities, nucleus, slot.random, mayFollow);
  if (token !== END) {
    slot.text.push(token);
    slot.utf8 = afterBytes(slot.utf8, vocabulary.bytes[token]!)!;
    slot.pending = [token];
    return 'goes on';
  }
  return endText(task, slot);
}

function endText(task: WritingTask, slot: Slot): 'goes on' | 'again' | 'done' {
  const { vocabulary, columns } = task;
  const own = slot.text.slice(1);
  const text = textOf(own.map((token) => vocabulary.bytes[token]!));
  const isTaken = task.accept(slot.column, slot.row, text, slot.attempt++);
  if (!isTaken && slot.attempt < task.attempts) {
    beginText(task, slot, slot.before);
    return 'again';
  }
  const marker = columns[slot.column]!.marker;
  slot.before = [...slot.before, marker, ...own, END];
  slot.column++;
  slot.attempt = 0;
  if (slot.column === columns.length) return 'done';
  beginText(task, slot, [END]);
  return 'goes on';
}
