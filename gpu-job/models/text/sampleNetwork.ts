/** Writes the text columns of rows by a fitted network. */
import { isMissing } from '../../../domain/table/missing.ts';
import { counted } from '../../../domain/table/wording.ts';
import type { SampleTask, TextResources } from '../model.ts';
import { layerOperations } from './base/architecture.ts';
import type { FittedNetwork } from './fitNetwork.ts';
import { type TextGuard, textJudge } from './guardTexts.ts';
import { drawLengths, lengthJudge } from './lengths.ts';
import { createMixer, forWriting } from './mixture.ts';
import { createDecoder } from './network/decoder.ts';
import type { Network } from './network/network.ts';
import { markersOf, prefixReader } from './rowSequences.ts';
import { vocabularyOf } from './tokens/vocabulary.ts';
import { writeRows } from './writeRows.ts';

/** Attempts at a text before the Markov chain writes it. */
const ATTEMPTS = 8;
/** Bytes of the cache of keys and values, about, and slots. */
const CACHE_BYTES = 8e8;
const MOST_SLOTS = 128;
const MOST_SLOTS_ON_GPU = 256;
const LEAST_SLOTS = 4;
/** Operations that writing may take in all, on weights of bytes and on a graphics processor: rows after those are the Markov chain's. */
const WRITING_OPERATIONS = 3.5e14;
const WRITING_OPERATIONS_ON_GPU = 4.5e15;

/** A network ready to write: what it runs on, and its layers. */
export interface OpenedNetwork {
  resources: TextResources;
  network: Network;
}

/** Texts by column and row; null where every attempt was refused, or the row is after those that the network writes. Adds to `notes`. */
export async function sampleNetwork(
  fit: FittedNetwork,
  guards: ReadonlyMap<string, TextGuard>,
  task: SampleTask,
  { resources, network }: OpenedNetwork,
  notes: string[],
): Promise<Map<string, (string | null)[]>> {
  const { form, columns, architecture } = fit;
  const vocabulary = vocabularyOf({ merges: [], split: [] }, fit.pieces);
  const values = form.columns.map(() => new Array<string | null>(task.rows).fill(null));
  const longestRow = form.conditions.length + columns.reduce((sum, { longest }) => sum + longest + 2, 0);
  const rows = Math.min(task.rows, mostRows(fit, network, resources));
  if (rows < task.rows) {
    notes.push(
      `The language model wrote the texts of the first ${counted(rows, 'row')}; those of the others come from a Markov chain of characters. Ask for fewer rows, or run the job on a GPU, to have all of them from the model.`,
    );
  }
  const slots = slotsFor(architecture, longestRow, rows, resources);
  const decoder = createDecoder(resources.engine, architecture, network.plain(fit.parameters), {
    slots,
    temperature: fit.sampling.temperature,
    breathe: task.breathe,
  });
  const markers = markersOf(form, vocabulary.pieces.length);
  const judges = form.columns.map((name) => textJudge(guards.get(name)!, rows));
  const made = await drawLengths(
    task,
    columns.map(({ lengths }) => lengths),
  );
  const lengths = columns.map((own) => lengthJudge(own.lengths, made));
  const misses = form.columns.map(() => new Float64Array(rows).fill(Number.POSITIVE_INFINITY));
  const written = form.columns.map(() => new Uint8Array(rows));
  let told = 0;
  await writeRows({
    decoder,
    vocabulary,
    nucleus: fit.sampling.nucleus,
    rows,
    prefix: prefixReader(form, vocabulary.pieces.length, made),
    columns: columns.map(({ mixture, longest }, k) => ({
      marker: markers[k]!,
      mixer: mixture && createMixer(forWriting(mixture)),
      longest,
    })),
    random: task.random.child('network'),
    accept(column, row, text) {
      if (isMissing(text) || !judges[column]!.mayStand(text)) return false;
      const { miss, mayTryAgain } = lengths[column]!;
      const missed = miss(row, text);
      if (missed < misses[column]![row]!) {
        misses[column]![row] = missed;
        values[column]![row] = text;
      }
      return missed === 0 || !mayTryAgain(row, written[column]![row]!++);
    },
    attempts: ATTEMPTS,
    earliest: (column, row) => lengths[column]!.earliest(row),
    eagerness: (column, row, characters) => lengths[column]!.eagerness(row, characters),
    mayHave: (column, part) => judges[column]!.mayHave(part),
    async onProgress(finished) {
      if (finished < rows && finished - told < rows / 10) return;
      told = finished;
      await task.report(`Text: ${finished} of ${counted(rows, 'row')}`);
    },
  });
  await decoder.release();
  return new Map(form.columns.map((name, k) => [name, values[k]!]));
}

/** Rows that the network may write: from the tokens of a usual row, and what one costs. */
function mostRows(fit: FittedNetwork, network: Network, { engine }: TextResources): number {
  const { architecture, pieces } = network;
  const aToken = layerOperations(architecture) * architecture.layers + 2 * pieces * architecture.width;
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
  const most = engine.isGpu ? MOST_SLOTS_ON_GPU : MOST_SLOTS;
  return Math.max(1, Math.min(rows, Math.max(LEAST_SLOTS, Math.min(most, Math.floor(CACHE_BYTES / bytes)))));
}
