import type { ProgressEvent } from '../../../contract/events.ts';
import { tally } from '../../../numerics/tally.ts';
import { ownedTexts } from '../../disclosure/guardTexts.ts';
import { type FitTask, type TextResources, textColumn } from '../model.ts';
import type { Architecture } from './base/textBase.ts';
import type { Symbols } from './characterTrie.ts';
import { fitLengths, type Lengths, lengthNats, lengthScores, withLengths } from './lengths.ts';
import { chooseMixture, type Mixture, tokenTrie } from './mixture.ts';
import type { EpochFigures } from './network/checkpoint.ts';
import type { Network } from './network/network.ts';
import { withSlopes } from './network/slopes.ts';
import { type Trained, type TrainingPlan, trainNetwork } from './network/train.ts';
import { planTraining, type Quote } from './planTraining.ts';
import { fitPunctuation, type Punctuation } from './punctuation.ts';
import { conditionScores, fitForm, type RowForm, type RowSequence, rowSequences } from './rowSequences.ts';
import type { Sampling } from './sampleToken.ts';
import { fitSpelling, type Spelling } from './spelling.ts';
import { chooseStart, type Start, startNetwork } from './startNetwork.ts';
import type { Vocabulary } from './tokens/vocabulary.ts';

export interface FittedNetwork {
  form: RowForm;
  /** Byte-alphabet pieces after END. */
  pieces: readonly string[];
  architecture: Architecture;
  /** Null if the parameters are the whole model. */
  base: string | null;
  parameters: Float32Array;
  tokensARow: number;
  sampling: Sampling;
  columns: readonly FittedTextColumn[];
}

export interface FittedTextColumn {
  mixture: Mixture | null;
  /** In tokens. */
  longest: number;
  lengths: Lengths;
  punctuation: Punctuation;
  /** Null if unrestricted. */
  spelling: Spelling | null;
  /** On held-out rows, counting END; NaN without them. */
  bitsPerCharacter: number;
}

export interface NetworkFit {
  fitted: FittedNetwork;
  network: Network;
  vocabulary: Vocabulary;
  bestEpoch: number;
  startedFrom: Start['kind'];
  quote: Quote;
}

const HELD_OUT_SHARE = 0.1;
const MIN_HELD_OUT = 20;
const MAX_HELD_OUT = 120;

export async function fitNetwork(
  task: FitTask,
  columns: readonly string[],
  resources: TextResources,
): Promise<NetworkFit> {
  const { settings } = task;
  const { engine } = resources;
  const lengths: Lengths[] = [];
  for (const name of columns) lengths.push(await fitLengths(task, name));
  const table = withLengths(task.table, columns, lengths);
  const lengthNames = lengths.map(({ name }) => name);
  const form = fitForm(table, task.given, columns, lengthNames);
  const texts = columns.flatMap((name) => textColumn(table, name).values.filter((cell) => cell !== null));
  const start = chooseStart(resources, texts);
  const { vocabulary } = start;
  await task.yieldToEventLoop();
  const all = rowSequences(table, form, vocabulary);
  const { training, heldOut } = parted(all, task);
  const tokens = training.reduce((sum, one) => sum + one.tokens.length, 0);
  const network = startNetwork(start, form, tokens);
  const sloped = withSlopes(
    network,
    conditionScores(form, new Map(lengths.map((own) => [own.name, lengthScores(own)]))),
  );
  const quote = planTraining(engine, network, training, settings.textEpochs, start.kind);
  await task.onProgress(trainingPlanned(start, network, training, quote));
  const trained = await trainOn(task, resources, sloped, { training, heldOut }, quote.plan);
  const written: Pick<FittedTextColumn, 'punctuation' | 'spelling'>[] = [];
  for (const name of columns) written.push(await writtenAs(task, name));
  const fittedColumns = columns.map((name, k) => {
    const lengthCost = costOfLengths(k, lengths[k]!, textColumn(table, name).values, heldOut);
    const own = { ...trained, lengths: lengths[k]!, lengthCost, owners: task.owners };
    return { ...fitColumn(k, training, heldOut, vocabulary, own), ...written[k]! };
  });
  const fitted = {
    form,
    pieces: vocabulary.pieces.slice(1),
    architecture: network.architecture,
    base: start.base && start.kind === 'adapted' ? start.base.name : null,
    parameters: sloped.folded(trained.parameters),
    tokensARow: tokens / training.length,
    sampling: settings.textSampling,
    columns: fittedColumns,
  };
  return { fitted, network, vocabulary, bestEpoch: trained.bestEpoch, startedFrom: start.kind, quote };
}

function trainOn(
  { settings, random, onProgress, yieldToEventLoop }: FitTask,
  { engine, checkpoints }: TextResources,
  network: Network,
  { training, heldOut }: PartedRows,
  plan: TrainingPlan,
): Promise<Trained> {
  return trainNetwork({
    engine,
    network,
    sequences: training,
    heldOut,
    plan,
    random: random.child('network'),
    onEpoch: (figures) => onProgress(epochDone(figures, settings.textEpochs, training, heldOut)),
    yieldToEventLoop,
    ...(checkpoints && { checkpoints }),
  });
}

/** In nats. */
const costOfLengths = (
  column: number,
  lengths: Lengths,
  cells: readonly (string | null)[],
  heldOut: readonly RowSequence[],
): number =>
  heldOut.reduce((sum, { row, texts }) => sum + (texts[column] ? lengthNats(lengths, cells[row] ?? '') : 0), 0);

async function writtenAs(
  { table, owners: ofRows, yieldToEventLoop }: FitTask,
  name: string,
): Promise<Pick<FittedTextColumn, 'punctuation' | 'spelling'>> {
  const { texts, owners } = ownedTexts(textColumn(table, name).values, ofRows);
  const spelling = await fitSpelling(texts, owners);
  await yieldToEventLoop();
  return { spelling, punctuation: fitPunctuation(texts, owners) };
}

interface PartedRows {
  training: RowSequence[];
  heldOut: RowSequence[];
}

/** Holds out only rows with unique text. */
function parted(all: readonly RowSequence[], { random }: FitTask): PartedRows {
  const keys = all.map(({ tokens, isWritten }) => tokens.filter((_, k) => isWritten[k] === 1).join());
  const counts = tally(keys);
  const unique = all.flatMap((_, k) => (counts.get(keys[k]!) === 1 ? [k] : []));
  const size = Math.min(MAX_HELD_OUT, Math.floor(HELD_OUT_SHARE * unique.length));
  if (size < MIN_HELD_OUT) return { training: [...all], heldOut: [] };
  const stream = random.child('held out');
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(unique[stream.integer(unique.length)]!);
  return { training: all.filter((_, k) => !chosen.has(k)), heldOut: all.filter((_, k) => chosen.has(k)) };
}

interface Learnt {
  lengths: Lengths;
  lengthCost: number;
  owners: FitTask['owners'];
}

function fitColumn(
  column: number,
  training: readonly RowSequence[],
  heldOut: readonly RowSequence[],
  vocabulary: Vocabulary,
  { heldOutLikelihoods, lengths, lengthCost, owners }: Trained & Learnt,
): Omit<FittedTextColumn, 'punctuation' | 'spelling'> {
  const textsOf = (
    sequences: readonly RowSequence[],
  ): { text: Symbols; from: number; k: number; row: number; characters: number }[] =>
    sequences.flatMap(({ tokens, texts, row }, k) => {
      const own = texts[column];
      if (!own) return [];
      const end = tokens.indexOf(0, own.from);
      return [{ text: tokens.slice(own.from, end), from: own.from, k, row, characters: own.characters }];
    });
  const [trained, held] = [textsOf(training), textsOf(heldOut)];
  const longest = Math.max(1, ...trained.map(({ text }) => text.length));
  const trie = tokenTrie(
    trained.map(({ text }) => text),
    vocabulary.pieces.length,
    owners && trained.map(({ row }) => owners[row]!),
  );
  const likelihoods = held.map(({ text, from, k }) => heldOutLikelihoods[k]!.subarray(from, from + text.length + 1));
  const { mixture, nats } = chooseMixture(
    trie,
    held.map(({ text }) => text),
    likelihoods,
  );
  const characters = held.reduce((sum, one) => sum + one.characters, 0);
  return { mixture, longest, lengths, bitsPerCharacter: (nats + lengthCost) / Math.LN2 / characters };
}

function trainingPlanned(
  { kind, base }: Start,
  network: Network,
  training: readonly RowSequence[],
  { plan, tokensAnEpoch, tokens, engine, seconds, bytes }: Quote,
): ProgressEvent {
  return {
    stage: 'fit',
    fact: 'text_training_planned',
    base: base?.name ?? null,
    whole: kind === 'compact',
    engine,
    layers: network.architecture.layers,
    weights: network.vector.length,
    pieces: network.pieces,
    rows: training.length,
    epochs: plan.epochs,
    tokens_per_epoch: tokensAnEpoch,
    tokens,
    estimated_seconds: Math.ceil(seconds),
    memory_bytes: bytes,
  };
}

/** Losses are in nats: per training token, and total held-out. */
function epochDone(
  { epoch, trainingLoss, heldOutLoss }: EpochFigures,
  epochs: number,
  training: readonly RowSequence[],
  heldOut: readonly RowSequence[],
): ProgressEvent {
  const characters = (of: readonly RowSequence[]): number =>
    of.reduce((sum, { texts }) => sum + texts.reduce((own, text) => own + (text?.characters ?? 0), 0), 0);
  const written = training.reduce((sum, { isWritten }) => sum + isWritten.reduce((own, x) => own + x, 0), 0);
  const bits = (nats: number, of: readonly RowSequence[]): number | null => {
    const share = nats / characters(of) / Math.LN2;
    return Number.isFinite(share) ? share : null;
  };
  return {
    stage: 'fit',
    fact: 'text_epoch',
    done: epoch,
    total: epochs,
    bits_per_character: bits(trainingLoss * written, training),
    held_out_bits_per_character: heldOut.length === 0 ? null : bits(heldOutLoss, heldOut),
    held_out_rows: heldOut.length,
  };
}
