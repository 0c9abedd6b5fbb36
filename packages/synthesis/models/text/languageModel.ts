/**
 * Texts by a language model given the row, mixed with an n-gram if held-out text favours it. Names and places come from
 * word lists; a Markov chain writes small columns and replaces refused texts. Texts are then matched to rows, and those
 * that contain other cells are written last.
 */
import { z } from 'zod';
import type { TextWriter } from '../../../contract/events.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, quoted, withCommas } from '../../../words/wording.ts';
import { buildGuard, guardSchema, inventContacts, ownedTexts, type TextGuard } from '../../disclosure/guardTexts.ts';
import {
  type FitTask,
  type FittedModel,
  type Model,
  type SampleTask,
  type TextColumn,
  type TextResources,
  textColumn,
} from '../model.ts';
import { byColumnSchema, savedBy } from '../shared/savedArrays.ts';
import { type Agreement, agreementSchema, fitAgreement } from './agreement/fitAgreement.ts';
import { pairTexts } from './agreement/pairTexts.ts';
import { characterMarkov } from './characterMarkov.ts';
import { type FittedNetwork, fitNetwork, type NetworkFit } from './fitNetwork.ts';
import { wholeNetwork } from './network/trainableNetwork.ts';
import {
  filled,
  fitPutTogether,
  isPutTogether,
  type PutTogether,
  putTogetherShape,
  withCells,
  writeFromLists,
} from './putTogether.ts';
import { conditionRows, fitForm, joinedTexts } from './rowSequences.ts';
import { type OpenedNetwork, sampleNetwork } from './sampleNetwork.ts';
import { networkSchema } from './savedNetwork.ts';
import { networkOnBase } from './startNetwork.ts';

/** The Markov chain writes columns with less. */
export const MIN_DISTINCT = 50;
const MIN_CHARACTERS = 3_000;

interface Fitted {
  markov: FittedModel;
  /** Null without an engine or enough text. */
  network: FittedNetwork | null;
  put: PutTogether;
  guards: ReadonlyMap<string, TextGuard>;
  agreement: Agreement;
  notes: readonly string[];
  open?: OpenedNetwork;
}

const savedSchema = z.object({
  markov: savedBy(characterMarkov.restore, (markov) => markov.save()),
  network: networkSchema.nullable(),
  ...putTogetherShape,
  guards: byColumnSchema(guardSchema),
  agreement: agreementSchema,
  notes: z.array(z.string()),
});

export const languageModel: Model = {
  name: 'language model; lists of words for names of persons, a character Markov chain for a column of little text',
  async fit(task) {
    const markov = await characterMarkov.fit(task);
    const put = await fitPutTogether(task);
    const columns = task.columns.filter((name) => !isPutTogether(put, name) && isEnough(task, name));
    const guards = new Map(task.columns.map((name) => [name, guardOf(task, name)]));
    const agreement = await agreementOf(task, put);
    const resources = columns.length > 0 ? await task.openText?.() : undefined;
    await reportWriters(task, { put, byNetwork: resources ? columns : [] });
    const own = { markov, put, guards, agreement };
    if (!resources) return fitted({ ...own, network: null, notes: [] });
    const fit = await fitNetwork(task, columns, resources);
    const notes = notesOf(task, columns, fit, resources);
    return fitted({ ...own, network: fit.fitted, notes, open: { resources, network: fit.network } });
  },
  restore(saved) {
    const { names, places, holding, ...own } = savedSchema.parse(saved);
    return fitted({ ...own, put: { names, places, holding } });
  },
};

async function reportWriters({ columns, onProgress }: FitTask, own: Parameters<typeof writerOf>[0]): Promise<void> {
  for (const column of columns) {
    await onProgress({ stage: 'fit', fact: 'text_writer_chosen', column, writer: writerOf(own, column) });
  }
}

function writerOf(
  { put, byNetwork }: Pick<Fitted, 'put'> & { byNetwork: readonly string[] },
  column: string,
): TextWriter {
  if (put.holding.has(column)) return 'cells_of_the_row';
  if (isPutTogether(put, column)) return 'name_lists';
  return byNetwork.includes(column) ? 'language_model' : 'markov_chain';
}

const FROM_SCRATCH = 'a compact one was trained from';

const ownTexts = ({ table, owners }: FitTask, name: string) => ownedTexts(textColumn(table, name).values, owners);

function guardOf(task: FitTask, name: string): TextGuard {
  const { texts, owners } = ownTexts(task, name);
  return buildGuard(texts, owners);
}

function agreementOf(
  { table, given, columns: all, random, yieldToEventLoop }: FitTask,
  { holding }: PutTogether,
): Promise<Agreement> {
  const columns = all.filter((name) => !holding.has(name));
  const { conditions } = fitForm(table, given, columns);
  return fitAgreement(table, conditions, joinedTexts(table, columns), random.child('agreement'), yieldToEventLoop);
}

function isEnough(task: FitTask, name: string): boolean {
  const { texts } = ownTexts(task, name);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return characters >= MIN_CHARACTERS && new Set(texts).size >= MIN_DISTINCT;
}

function notesOf(
  { settings }: FitTask,
  columns: readonly string[],
  { fitted: own, bestEpoch, startedFrom }: NetworkFit,
  { baseProblem, compact }: TextResources,
): string[] {
  const notes = columns.map((name, k) => {
    const { bitsPerCharacter, mixture } = own.columns[k]!;
    const bits = Number.isNaN(bitsPerCharacter)
      ? ''
      : `, ${bitsPerCharacter.toFixed(3)} bits per character on held-out rows`;
    return `Text ${quoted(name)}: epoch ${bestEpoch} of ${settings.textEpochs}${bits}${mixture ? ', mixed with an n-gram' : ''}.`;
  });
  if (baseProblem !== null) notes.push(`The base language model cannot be used: ${baseProblem}.`);
  if (startedFrom !== 'adapted') {
    const own = startedFrom === 'compact' ? `${compact?.name ?? 'a small base'} was trained whole on` : FROM_SCRATCH;
    notes.push(
      `No large base language model was found, so ${own} this table alone. With one (synthetic-tables text-base, or TEXT_BASE) the texts read better.`,
    );
  }
  return notes;
}

function fitted(model: Fitted): FittedModel {
  const { markov, network, put, guards, agreement, notes } = model;
  let ofWriting: string[] = [];
  return {
    async sample(task) {
      const columns = await markov.sample(task);
      ofWriting = [];
      const written = network
        ? await sampleNetwork(network, guards, task, await opened(model, task), ofWriting)
        : new Map<string, (string | null)[]>();
      const listed = await writeFromLists(put, guards, task);
      for (const [name, own] of [...written, ...listed]) ofWriting.push(...refusedNotes(name, own));
      const texts = columns.flatMap((column): TextColumn[] => {
        if (column.kind !== 'text') return [];
        const { name, values } = column;
        const random = task.random.child(name);
        const own = withInvented(filled(written.get(name) ?? [], values), guards.get(name)!, random);
        return [{ ...column, values: filled(listed.get(name) ?? [], own) }];
      });
      const free = texts.filter(({ name }) => !put.holding.has(name));
      const inRows = await paired(free, agreement, task);
      const all = texts.map((column) => inRows.find(({ name }) => name === column.name) ?? column);
      return withCells(put, guards, all, task);
    },
    save: () => savedSchema.encode({ markov, network, ...put, guards, agreement, notes: [...notes] }),
    diagnostics() {
      const own = markov.diagnostics();
      const theirs = Array.isArray(own.notes) ? own.notes : [];
      const bits = network?.columns.map(({ bitsPerCharacter }) =>
        Number.isNaN(bitsPerCharacter) ? null : bitsPerCharacter,
      );
      const byNetwork = network?.form.columns ?? [];
      const writers = [...guards.keys()].map((column) => [column, writerOf({ put, byNetwork }, column)] as const);
      return {
        ...own,
        writers: Object.fromEntries(writers),
        from_base: network ? network.base !== null : null,
        ...(bits && { held_out_bits_per_character: bits }),
        notes: [...theirs, ...notes, ...ofWriting],
      };
    },
  };
}

/** Keeps a row's texts together. Selected rows differ from fitted ones, so they are not matched. */
async function paired(texts: readonly TextColumn[], agreement: Agreement, task: SampleTask): Promise<TextColumn[]> {
  if (!task.representative || agreement.readers.length === 0) return [...texts];
  const columns = new Map(texts.map((column) => [column.name, column]));
  const joined = joinedTexts({ rows: task.rows, columns }, [...columns.keys()]);
  const random = task.random.child('agreement');
  const place = await pairTexts(agreement, task.made, joined, random, async () => task.yieldToEventLoop?.());
  return texts.map((column) => ({ ...column, values: Array.from(place, (from) => column.values[from] ?? null) }));
}

function refusedNotes(name: string, own: readonly (string | null)[]): string[] {
  const written = own.findLastIndex((text) => text !== null) + 1;
  const refused = own.slice(0, written).filter((text) => text === null).length;
  if (refused === 0) return [];
  return [
    `Text ${quoted(name)}: ${counted(refused, 'text')} of ${withCommas(written)} ${refused === 1 ? 'was' : 'were'} refused at every attempt and come from a character Markov chain.`,
  ];
}

function withInvented(values: readonly (string | null)[], guard: TextGuard, random: RandomStream): (string | null)[] {
  const drawn = random.child('contacts');
  return values.map((text) => (text === null ? null : inventContacts(text, guard.contacts, drawn)));
}

/** Throws Error if a restored model lacks its base or engine. */
async function opened({ network, open }: Fitted, task: SampleTask): Promise<OpenedNetwork> {
  if (open) return open;
  const resources = await task.openText?.();
  if (!resources || !network) throw new Error('the model of text needs a tensor engine, and none was given');
  const { base } = resources;
  if (network.base === null) {
    const { architecture, pieces, form } = network;
    return { resources, network: wholeNetwork(architecture, pieces.length + 1, conditionRows(form)) };
  }
  if (base?.name !== network.base)
    throw new Error(`the model of text adapts the base ${quoted(network.base)}, which is not there`);
  return { resources, network: networkOnBase(base, network.form, { pieces: ['', ...network.pieces] }) };
}
