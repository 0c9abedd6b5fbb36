/**
 * Text by a language model, trained on the columns with their rows as a prefix: from a base where there is one, else a
 * compact model from scratch; mixed with an n-gram where held-out text asks for it. Names of persons are put together from
 * words; columns of very little text are written by a character Markov chain, and so is every text that the others fail to
 * write. Texts then find the rows that they go with.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, quoted, withCommas } from '../../../words/wording.ts';
import {
  type FitTask,
  type FittedModel,
  type JsonValue,
  type Model,
  type SampleTask,
  type TextColumn,
  type TextResources,
  textColumn,
} from '../model.ts';
import { type Agreement, agreementSchema, fitAgreement, saveAgreement } from './agreement/fitAgreement.ts';
import { pairTexts } from './agreement/pairTexts.ts';
import { characterMarkov } from './characterMarkov.ts';
import { type FittedNetwork, fitNetwork, type NetworkFit } from './fitNetwork.ts';
import {
  buildGuard,
  guardSchema,
  inventContacts,
  ownedTexts,
  saveGuard,
  type TextGuard,
  textJudge,
} from './guardTexts.ts';
import { fitPersonNames, type PersonNames, personNamesSchema, writePersonNames } from './names/personNames.ts';
import { wholeNetwork } from './network/trainableNetwork.ts';
import { conditionRows, fitForm, joinedTexts } from './rowSequences.ts';
import { type OpenedNetwork, sampleNetwork } from './sampleNetwork.ts';
import { networkSchema, saveNetwork } from './savedNetwork.ts';
import { networkOnBase } from './startNetwork.ts';

/** Below, a column is left to the Markov chain: distinct texts, and characters in all. */
export const MIN_DISTINCT = 50;
const MIN_CHARACTERS = 3_000;

interface Fitted {
  markov: FittedModel;
  /** Null where no column has enough text, or there is no engine. */
  network: FittedNetwork | null;
  /** By column, of those that have names of persons. */
  names: ReadonlyMap<string, PersonNames>;
  /** By column, those of the Markov chain alone too. */
  guards: ReadonlyMap<string, TextGuard>;
  agreement: Agreement;
  notes: readonly string[];
  /** What `openText` gave when the model was fitted. */
  open?: OpenedNetwork;
}

const savedSchema = z.object({
  markov: z.json(),
  network: networkSchema.nullable(),
  /** Models of 0.1 have none. */
  names: z
    .array(z.tuple([z.string(), personNamesSchema]))
    .default([])
    .transform((names) => new Map(names)),
  guards: z.array(z.tuple([z.string(), guardSchema])).transform((guards) => new Map(guards)),
  agreement: agreementSchema,
  notes: z.array(z.string()),
});

export const languageModel: Model = {
  name: 'language model; lists of words for names of persons, a character Markov chain for a column of little text',
  async fit(task) {
    const markov = await characterMarkov.fit(task);
    const names = await namesOf(task);
    const columns = task.columns.filter((name) => !names.has(name) && isEnough(task, name));
    const guards = new Map(task.columns.map((name) => [name, guardOf(task, name)]));
    const agreement = await agreementOf(task);
    const resources = columns.length > 0 ? await task.openText?.() : undefined;
    await reportWriters(task, names, resources ? columns : []);
    if (!resources) return fitted({ markov, network: null, names, guards, agreement, notes: [] });
    const fit = await fitNetwork(task, columns, resources);
    const { fitted: own, network } = fit;
    const notes = notesOf(task, columns, fit, resources);
    return fitted({ markov, network: own, names, guards, agreement, notes, open: { resources, network } });
  },
  restore(saved) {
    const { markov, ...own } = savedSchema.parse(saved);
    return fitted({ ...own, markov: characterMarkov.restore(markov) });
  },
};

async function namesOf(task: FitTask): Promise<Map<string, PersonNames>> {
  const names = new Map<string, PersonNames>();
  for (const column of task.columns) {
    const own = await fitPersonNames(textsOfOwners(task, column), column);
    if (own) names.set(column, own);
    await task.yieldToEventLoop();
  }
  return names;
}

async function reportWriters(
  { columns, onProgress }: FitTask,
  names: ReadonlyMap<string, PersonNames>,
  byNetwork: readonly string[],
): Promise<void> {
  for (const column of columns) {
    const otherwise = byNetwork.includes(column) ? 'language_model' : 'markov_chain';
    const writer = names.has(column) ? 'name_lists' : otherwise;
    await onProgress({ stage: 'fit', fact: 'text_writer_chosen', column, writer });
  }
}

const FROM_SCRATCH = 'a compact one was trained from';

const ownTexts = ({ table, owners }: FitTask, name: string) => ownedTexts(textColumn(table, name).values, owners);

function guardOf(task: FitTask, name: string): TextGuard {
  const { texts, owners } = ownTexts(task, name);
  return buildGuard(texts, owners);
}

/** A text of one owner once. */
function textsOfOwners(task: FitTask, name: string): string[] {
  const { texts, owners } = ownTexts(task, name);
  if (!owners) return texts;
  const seen = new Set<string>();
  return texts.filter((text, row) => {
    const own = `${owners[row]} ${text}`;
    return !seen.has(own) && seen.add(own);
  });
}

function agreementOf({ table, given, columns, random, yieldToEventLoop }: FitTask): Promise<Agreement> {
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
  const { markov, network, names, guards, agreement, notes } = model;
  let ofWriting: string[] = [];
  return {
    async sample(task) {
      const columns = await markov.sample(task);
      ofWriting = [];
      const written = network
        ? await sampleNetwork(network, guards, task, await opened(model, task), ofWriting)
        : new Map<string, (string | null)[]>();
      for (const [name, own] of names) written.set(name, await namesFor(own, guards.get(name)!, name, task));
      const texts = columns.flatMap((column): TextColumn[] => {
        if (column.kind !== 'text') return [];
        const own = written.get(column.name);
        if (own) ofWriting.push(...refusedNotes(column.name, own));
        return [{ ...column, values: own ? filled(own, column.values) : column.values }];
      });
      return (await paired(texts, agreement, task)).map((column) => ({
        ...column,
        values: withInvented(column.values, guards.get(column.name)!, task.random.child(column.name)),
      }));
    },
    save: (): JsonValue => ({
      markov: markov.save(),
      network: network && saveNetwork(network),
      names: [...names],
      guards: [...guards].map(([name, guard]) => [name, saveGuard(guard)]),
      agreement: saveAgreement(agreement),
      notes: [...notes],
    }),
    diagnostics() {
      const own = markov.diagnostics();
      const theirs = Array.isArray(own.notes) ? own.notes : [];
      const bits = network?.columns.map(({ bitsPerCharacter }) =>
        Number.isNaN(bitsPerCharacter) ? null : bitsPerCharacter,
      );
      const byNetwork = network?.form.columns ?? [];
      return {
        ...own,
        written_by_language_model: [...byNetwork],
        from_base: network ? network.base !== null : null,
        ...(bits && { held_out_bits_per_character: bits }),
        notes: [...theirs, ...notes, ...ofWriting],
      };
    },
  };
}

async function namesFor(names: PersonNames, guard: TextGuard, column: string, { rows, random }: SampleTask) {
  const { mayStand } = textJudge(guard, rows);
  return writePersonNames(names, rows, random.child(`names of ${column}`), mayStand);
}

/** The texts of a row stay together. Rows that a condition chose go with texts in a way of their own, to which nothing was fitted. */
async function paired(texts: readonly TextColumn[], agreement: Agreement, task: SampleTask): Promise<TextColumn[]> {
  if (!task.representative || agreement.readers.length === 0) return [...texts];
  const columns = new Map(texts.map((column) => [column.name, column]));
  const joined = joinedTexts({ rows: task.rows, columns }, [...columns.keys()]);
  const random = task.random.child('agreement');
  const place = await pairTexts(agreement, task.made, joined, random, async () => task.yieldToEventLoop?.());
  return texts.map((column) => ({ ...column, values: Array.from(place, (from) => column.values[from] ?? null) }));
}

/** Of the rows that the network wrote, those whose every attempt was refused. */
function refusedNotes(name: string, own: readonly (string | null)[]): string[] {
  const written = own.findLastIndex((text) => text !== null) + 1;
  const refused = own.slice(0, written).filter((text) => text === null).length;
  if (refused === 0) return [];
  return [
    `Text ${quoted(name)}: ${counted(refused, 'text')} of ${withCommas(written)} ${refused === 1 ? 'was' : 'were'} refused at every attempt and come from a character Markov chain.`,
  ];
}

/** The network's texts, and the Markov chain's where it has none. */
const filled = (own: readonly (string | null)[], otherwise: readonly (string | null)[]): (string | null)[] =>
  own.map((text, row) => text ?? otherwise[row] ?? null);

function withInvented(values: readonly (string | null)[], guard: TextGuard, random: RandomStream): (string | null)[] {
  const drawn = random.child('contacts');
  return values.map((text) => (text === null ? null : inventContacts(text, guard.contacts, drawn)));
}

/** Throws Error where a restored model's base or engine is not there. */
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
