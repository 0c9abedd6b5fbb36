import { isMissing } from '../../../tables/missing.ts';
import { counted } from '../../../words/wording.ts';
import { type TextGuard, textJudge } from '../../disclosure/guardTexts.ts';
import type { SampleTask, TextResources } from '../model.ts';
import type { FittedNetwork } from './fitNetwork.ts';
import { drawLengths, type LengthJudge, lengthJudge } from './lengths.ts';
import { createMixer } from './mixture.ts';
import { createDecoder } from './network/decoder.ts';
import type { Network } from './network/network.ts';
import { forwardOperations } from './network/train.ts';
import { createPunctuator } from './punctuation.ts';
import { markersOf, prefixReader } from './rowSequences.ts';
import { createSpeller } from './speller.ts';
import { englishWords } from './spelling.ts';
import { vocabularyOf } from './tokens/vocabulary.ts';
import { writeRows } from './writeRows.ts';

/** Attempts before the Markov chain takes over. */
const ATTEMPTS = 8;
const CACHE_BYTES = 8e8;
const MAX_SLOTS = 128;
const MAX_SLOTS_ON_GPU = 256;
const MIN_SLOTS = 4;
/** Limits on total operations; the Markov chain writes further rows. */
const WRITING_OPERATIONS = 3.5e14;
const WRITING_OPERATIONS_ON_GPU = 4.5e15;

export interface OpenedNetwork {
  resources: TextResources;
  network: Network;
}

/** Null if every attempt was refused, or beyond the network's rows. Adds to `notes`. */
export async function sampleNetwork(
  fit: FittedNetwork,
  guards: ReadonlyMap<string, TextGuard>,
  task: SampleTask,
  { resources, network }: OpenedNetwork,
  notes: string[],
): Promise<Map<string, (string | null)[]>> {
  const { form, columns, architecture } = fit;
  const vocabulary = vocabularyOf({ merges: [], split: [] }, fit.pieces);
  const longestRow = form.conditions.length + columns.reduce((sum, { longest }) => sum + longest + 2, 0);
  const rows = Math.min(task.rows, mostRows(fit, network, resources));
  if (rows < task.rows) {
    notes.push(
      `The language model wrote the texts of the first ${counted(rows, 'row')}; the other texts come from a character Markov chain. Ask for fewer rows, or run the job on a GPU, to have the language model write all of them.`,
    );
  }
  const slots = slotsFor(architecture, longestRow, rows, resources);
  const decoder = createDecoder(resources.engine, architecture, network.plain(fit.parameters), {
    slots,
    temperature: fit.sampling.temperature,
    yieldToEventLoop: task.yieldToEventLoop,
  });
  const markers = markersOf(form, vocabulary.pieces.length);
  const judges = form.columns.map((name) => textJudge(guards.get(name)!, rows));
  const made = await drawLengths(
    task,
    columns.map(({ lengths }) => lengths),
  );
  const lengths = columns.map((own) => lengthJudge(own.lengths, made));
  const english = columns.some(({ spelling }) => spelling) ? await englishWords() : undefined;
  const keepers = lengths.map((length, k) => textKeeper(judges[k]!, length, rows, task.rows));
  await writeRows({
    decoder,
    vocabulary,
    nucleus: fit.sampling.nucleus,
    rows,
    prefix: prefixReader(form, vocabulary.pieces.length, made),
    columns: columns.map(({ mixture, punctuation, spelling, longest }, k) => ({
      marker: markers[k]!,
      mixer: mixture && createMixer(mixture),
      punctuator: createPunctuator(punctuation),
      speller: spelling && english ? createSpeller(spelling, english) : null,
      longest,
    })),
    random: task.random.child('network'),
    accept: (column, row, text) => keepers[column]!.accept(row, text),
    attempts: ATTEMPTS,
    earliest: (column, row) => lengths[column]!.earliest(row),
    eagerness: (column, row, characters) => lengths[column]!.eagerness(row, characters),
    mayHave: (column, part) => judges[column]!.mayHave(part),
    onProgress: tenthsOf(rows, task),
  });
  await decoder.release();
  return new Map(form.columns.map((name, k) => [name, keepers[k]!.texts]));
}

/** Keeps the acceptable text whose length is nearest to the row's. */
function textKeeper(
  { mayStand }: ReturnType<typeof textJudge>,
  { beside, miss, mayTryAgain, stays }: LengthJudge,
  written: number,
  rows: number,
) {
  const texts = new Array<string | null>(rows).fill(null);
  const misses = new Float64Array(written).fill(Number.POSITIVE_INFINITY);
  const attempts = new Uint8Array(written);
  let ahead = 0;
  return {
    texts,
    /** Returns how many characters to keep when rewriting. */
    accept(row: number, text: string): 'taken' | number {
      if (isMissing(text) || !mayStand(text)) return 0;
      const missed = miss(row, text, ahead);
      if (missed < misses[row]!) {
        misses[row] = missed;
        texts[row] = text;
      }
      if (missed > 0 && mayTryAgain(row, text, attempts[row]!++)) return stays(row, text, attempts[row]!);
      ahead += beside(row, texts[row]!);
      return 'taken';
    },
  };
}

function tenthsOf(rows: number, { onProgress }: SampleTask): (finished: number) => Promise<void> {
  let reported = 0;
  return async (finished) => {
    if (finished < rows && finished - reported < rows / 10) return;
    reported = finished;
    await onProgress({ stage: 'generate', fact: 'texts_drawn', column: null, done: finished, total: rows });
  };
}

function mostRows(fit: FittedNetwork, network: Network, { engine }: TextResources): number {
  const aToken = forwardOperations(network);
  const most = engine.isGpu ? WRITING_OPERATIONS_ON_GPU : WRITING_OPERATIONS;
  return Math.max(1, Math.floor(most / (aToken * fit.tokensARow)));
}

function slotsFor(
  { layers, keyHeads, headWidth }: FittedNetwork['architecture'],
  places: number,
  rows: number,
  { engine }: TextResources,
): number {
  const bytes = 8 * layers * keyHeads * headWidth * places;
  const most = engine.isGpu ? MAX_SLOTS_ON_GPU : MAX_SLOTS;
  return Math.max(1, Math.min(rows, Math.max(MIN_SLOTS, Math.min(most, Math.floor(CACHE_BYTES / bytes)))));
}
