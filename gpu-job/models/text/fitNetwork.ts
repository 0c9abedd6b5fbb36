/** Fits the network of a job's text columns: from a base where there is one, else from scratch. */
import { counted, withCommas } from '../../../domain/table/wording.ts';
import type { FitTask, TextResources } from '../model.ts';
import { textColumn } from '../shared/textColumn.ts';
import type { Architecture } from './base/architecture.ts';
import type { TextBase } from './base/textBase.ts';
import type { Symbols } from './characterTrie.ts';
import { fitLengths, type Lengths, lengthNats, withLengths } from './lengths.ts';
import { chooseMixture, type Mixture, tokenTrie } from './mixture.ts';
import { adaptedNetwork } from './network/adaptedNetwork.ts';
import type { Network } from './network/network.ts';
import { type EpochFigures, type Trained, trainNetwork } from './network/train.ts';
import { wholeNetwork } from './network/wholeNetwork.ts';
import { compactArchitecture, planTraining, type Quote } from './planTraining.ts';
import {
  conditionRows,
  conditionRowWords,
  learnForm,
  type RowForm,
  type RowSequence,
  rowSequences,
} from './rowSequences.ts';
import type { Sampling } from './sampleToken.ts';
import { cutVocabulary, learnTokenizer, learntVocabulary, type Vocabulary } from './tokens/vocabulary.ts';

export interface FittedNetwork {
  form: RowForm;
  /** Pieces behind END, in the alphabet of bytes. */
  pieces: readonly string[];
  architecture: Architecture;
  /** Name of the base that the parameters adapt; null where they are the whole model. */
  base: string | null;
  parameters: Float32Array;
  /** Tokens of a row, on average. */
  tokensARow: number;
  sampling: Sampling;
  columns: readonly FittedTextColumn[];
}

export interface FittedTextColumn {
  mixture: Mixture | null;
  /** Tokens of a text, at most. */
  longest: number;
  lengths: Lengths;
  /** On held-out rows, END as one character; NaN where too few rows were held out. */
  bitsPerCharacter: number;
}

export interface NetworkFit {
  fitted: FittedNetwork;
  network: Network;
  vocabulary: Vocabulary;
  bestEpoch: number;
  quote: Quote;
}

/** Every tenth row is held out, of at least this many rows, and at most that many. */
const HELD_OUT_SHARE = 0.1;
const LEAST_HELD_OUT = 20;
const MOST_HELD_OUT = 120;

export async function fitNetwork(
  task: FitTask,
  columns: readonly string[],
  { engine, base, checkpoints }: TextResources,
): Promise<NetworkFit> {
  const { settings, random } = task;
  const lengths: Lengths[] = [];
  for (const name of columns) lengths.push(await fitLengths(task, name));
  const table = withLengths(task.table, columns, lengths);
  const form = learnForm(
    table,
    task.given,
    columns,
    lengths.map(({ name }) => name),
  );
  const texts = columns.flatMap((name) => textColumn(table, name).values.filter((cell) => cell !== null));
  const vocabulary = base ? cutVocabulary(base.tokenizer, base.pieces, texts) : learntVocabulary(learnTokenizer(texts));
  await task.breathe();
  const all = rowSequences(table, form, vocabulary);
  const { training, heldOut } = parted(all, task);
  const tokens = training.reduce((sum, one) => sum + one.tokens.length, 0);
  const network = base ? networkOnBase(base, form, vocabulary) : compactNetwork(tokens, form, vocabulary);
  const quote = planTraining(engine, network, training, settings.textEpochs);
  await task.report(quoteLine(base, network, training, quote));
  const trained = await trainNetwork({
    engine,
    network,
    sequences: training,
    heldOut,
    plan: quote.plan,
    random: random.child('network'),
    onEpoch: (figures) => task.report(epochLine(figures, settings.textEpochs, training, heldOut)),
    breathe: task.breathe,
    ...(checkpoints && { checkpoints }),
  });
  const fittedColumns = columns.map((name, k) => {
    const cells = textColumn(table, name).values;
    const told = heldOut.reduce(
      (sum, { row, texts: own }) => sum + (own[k] ? lengthNats(lengths[k]!, cells[row] ?? '') : 0),
      0,
    );
    return fitColumn(k, training, heldOut, vocabulary, { ...trained, lengths: lengths[k]!, told });
  });
  const fitted = {
    form,
    pieces: vocabulary.pieces.slice(1),
    architecture: network.architecture,
    base: base?.name ?? null,
    parameters: trained.parameters,
    tokensARow: tokens / training.length,
    sampling: settings.textSampling,
    columns: fittedColumns,
  };
  return { fitted, network, vocabulary, bestEpoch: trained.bestEpoch, quote };
}

/** Rows are held out at random among those whose text stands once. */
function parted(all: readonly RowSequence[], { random }: FitTask): { training: RowSequence[]; heldOut: RowSequence[] } {
  const keys = all.map(({ tokens, isWritten }) => tokens.filter((_, k) => isWritten[k] === 1).join());
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const unique = all.flatMap((_, k) => (counts.get(keys[k]!) === 1 ? [k] : []));
  const size = Math.min(MOST_HELD_OUT, Math.floor(HELD_OUT_SHARE * unique.length));
  if (size < LEAST_HELD_OUT) return { training: [...all], heldOut: [] };
  const stream = random.child('held out');
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(unique[stream.integer(unique.length)]!);
  return { training: all.filter((_, k) => !chosen.has(k)), heldOut: all.filter((_, k) => chosen.has(k)) };
}

function compactNetwork(tokens: number, form: RowForm, vocabulary: Vocabulary): Network {
  return wholeNetwork(compactArchitecture(tokens), vocabulary.pieces.length, conditionRows(form));
}

/** Adapters on all layers of a base. Conditions start as the mean of what their words start as. */
export function networkOnBase(base: TextBase, form: RowForm, vocabulary: Pick<Vocabulary, 'pieces'>): Network {
  const { width, layers } = base.architecture;
  const pieces = new Float32Array(vocabulary.pieces.length * width);
  vocabulary.pieces.forEach((piece, k) => {
    pieces.set(base.embedding(k === 0 ? base.end : base.pieces.get(piece)!), k * width);
  });
  const words = conditionRowWords(form);
  const whole = cutVocabulary(base.tokenizer, base.pieces, words, 0);
  const conditions = new Float32Array(words.length * width);
  words.forEach((own, row) => {
    const ids = whole.encode(own).map((id) => base.pieces.get(whole.pieces[id]!)!);
    for (const id of ids) {
      base.embedding(id).forEach((x, k) => {
        conditions[row * width + k]! += x / ids.length;
      });
    }
  });
  const kept = Array.from({ length: layers }, (_, k) => k);
  return adaptedNetwork(base.architecture, base.weights(kept), { pieces, conditions });
}

function fitColumn(
  column: number,
  training: readonly RowSequence[],
  heldOut: readonly RowSequence[],
  vocabulary: Vocabulary,
  { heldOutLikelihoods, lengths, told }: Trained & { lengths: Lengths; told: number },
): FittedTextColumn {
  const textsOf = (
    sequences: readonly RowSequence[],
  ): { text: Symbols; from: number; k: number; characters: number }[] =>
    sequences.flatMap(({ tokens, texts }, k) => {
      const own = texts[column];
      if (!own) return [];
      const end = tokens.indexOf(0, own.from);
      return [{ text: tokens.slice(own.from, end), from: own.from, k, characters: own.characters }];
    });
  const [learnt, held] = [textsOf(training), textsOf(heldOut)];
  const longest = Math.max(1, ...learnt.map(({ text }) => text.length));
  const trie = tokenTrie(
    learnt.map(({ text }) => text),
    vocabulary.pieces.length,
  );
  const likelihoods = held.map(({ text, from, k }) => heldOutLikelihoods[k]!.subarray(from, from + text.length + 1));
  const { mixture, nats } = chooseMixture(
    trie,
    held.map(({ text }) => text),
    likelihoods,
  );
  const characters = held.reduce((sum, one) => sum + one.characters, 0);
  return { mixture, longest, lengths, bitsPerCharacter: (nats + told) / Math.LN2 / characters };
}

function quoteLine(base: TextBase | null, network: Network, training: readonly RowSequence[], { line }: Quote): string {
  const what = base
    ? `${base.name} with adapters on ${network.architecture.layers} layers`
    : `compact model of ${withCommas(network.vector.length)} weights`;
  return `Text: ${what}, ${counted(training.length, 'row')}, ${withCommas(network.pieces)} pieces, ${line}`;
}

function epochLine(
  { epoch, trainingLoss, heldOutLoss }: EpochFigures,
  epochs: number,
  training: readonly RowSequence[],
  heldOut: readonly RowSequence[],
): string {
  const characters = (of: readonly RowSequence[]): number =>
    of.reduce((sum, { texts }) => sum + texts.reduce((own, text) => own + (text?.characters ?? 0), 0), 0);
  const written = training.reduce((sum, { isWritten }) => sum + isWritten.reduce((own, x) => own + x, 0), 0);
  const bits = (trainingLoss * written) / characters(training) / Math.LN2;
  const held =
    heldOut.length === 0
      ? ''
      : `, ${(heldOutLoss / characters(heldOut) / Math.LN2).toFixed(3)} on ${counted(heldOut.length, 'held-out row')}`;
  return `Text: epoch ${epoch} of ${epochs}: ${bits.toFixed(3)} bits per character in training${held}`;
}
