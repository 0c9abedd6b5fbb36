import { beforeAll, describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../../packages/contract/events.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { createOnnxEngine } from '../../../../packages/numerics/tensor/engines/openEngine.ts';
import type {
  FittedModel,
  ModelColumn,
  OpenTextResources,
  TextResources,
} from '../../../../packages/synthesis/models/model.ts';
import { readTextBase } from '../../../../packages/synthesis/models/text/base/readTextBase.ts';
import { languageModel, MIN_DISTINCT } from '../../../../packages/synthesis/models/text/languageModel.ts';
import { takeRows } from '../../../../packages/synthesis/table/takeRows.ts';
import { category, fitTask, numeric, tableOf, text, textsOf } from '../tables.ts';
import { smallGguf } from './support/writeGguf.ts';

const ROWS = 240;
const rows = Array.from({ length: ROWS }, (_, k) => k);
const random = createStream(4, 'made texts');
const pick = (words: readonly string[]): string => words[random.integer(words.length)]!;
const NOUNS = ['room', 'staff', 'pool', 'view', 'breakfast', 'bed', 'lobby', 'garden'];
const review = (isGood: boolean): string => {
  const [how, verb] = isGood ? [['lovely', 'great', 'superb'], 'enjoyed'] : [['dirty', 'awful', 'noisy'], 'disliked'];
  return `The ${pick(NOUNS)} was ${pick(how)} and we ${verb} the ${pick(how)} ${pick(NOUNS)} on day ${random.integer(30)}.`;
};
const MOODS = rows.map((k) => (k % 2 === 0 ? 'good' : 'bad'));
const REVIEWS = MOODS.map((mood) => review(mood === 'good'));
const TABLE = tableOf(
  category('mood', MOODS),
  numeric(
    'stars',
    rows.map((k) => 5 - (k % 2) * 3),
  ),
  text('review', REVIEWS),
);
const FEW = takeRows(
  TABLE,
  Int32Array.from({ length: ROWS / 3 }, (_, row) => row),
);

let resources: TextResources;
const openText: OpenTextResources = async () => resources;
beforeAll(async () => {
  resources = { engine: await createOnnxEngine('cpu'), base: null, baseProblem: null };
});

const learn = (table = TABLE, columns = ['review'], epochs = 10) => {
  const task = fitTask(table, columns, ['mood', 'stars']);
  return languageModel.fit({ ...task, settings: { ...task.settings, textEpochs: epochs }, openText });
};
/** Fitted once for those that only draw from it, or compare with it. */
let once: Promise<FittedModel> | undefined;
const learntOnce = () => {
  once ??= learn(TABLE, ['review'], 1);
  return once;
};
const sampleOf = (n: number, made = TABLE, seed = 3) => ({
  rows: n,
  made: takeRows(
    made,
    Int32Array.from({ length: n }, (_, row) => row % made.rows),
  ),
  random: createStream(seed, 'sample'),
  onProgress: async () => {},
  openText,
});

describe('a language model of a column', () => {
  it('writes texts that go with their row, none of them as it stood, the same for the same seed', async () => {
    const events: ProgressEvent[] = [];
    const task = { ...fitTask(TABLE, ['review'], ['mood', 'stars']), openText };
    const onProgress = async (event: ProgressEvent) => void events.push(event);
    const fitted = await languageModel.fit({ ...task, settings: { ...task.settings, textEpochs: 5 }, onProgress });
    const texts = textsOf(await fitted.sample(sampleOf(60)), 'review');
    const few = textsOf(await fitted.sample(sampleOf(10)), 'review');
    const facts = fitted.diagnostics();
    const goods = texts.map((own) => /lovely|great|superb/.test(own ?? ''));
    const agreeing = goods.filter((isGood, row) => isGood === (MOODS[row] === 'good')).length;
    expect(agreeing).toBeGreaterThan(51);
    expect(texts.filter((own) => own !== null && REVIEWS.includes(own))).toEqual([]);
    expect(texts.every((own) => own?.isWellFormed())).toBe(true);
    expect(textsOf(await fitted.sample(sampleOf(10, TABLE, 4)), 'review')).not.toEqual(few);
    expect(events).toContainEqual({
      stage: 'fit',
      fact: 'text_writer_chosen',
      column: 'review',
      writer: 'language_model',
    });
    const plan = events.findIndex(({ fact }) => fact === 'text_training_planned');
    expect(events[plan]).toMatchObject({ engine: expect.stringMatching(/^onnxruntime/), epochs: 5 });
    const epochs = events.slice(plan).filter((event) => event.fact === 'text_epoch' && event.held_out_rows > 0);
    expect(epochs.length).toBeGreaterThan(2);
    expect(JSON.stringify(facts)).toContain('synthetic-tables text-base');

    const restored = languageModel.restore(JSON.parse(JSON.stringify(fitted.save())));
    expect(textsOf(await restored.sample(sampleOf(10)), 'review')).toEqual(few);
    expect(restored.diagnostics()).toEqual(facts);
  });

  it('learns alike twice', async () => {
    const [first, second] = [await learn(FEW, ['review'], 1), await learn(FEW, ['review'], 1)];
    expect(second.save()).toEqual(first.save());
  });

  it('writes likely words alone where it is asked to, restored as well', async () => {
    const task = fitTask(TABLE, ['review'], ['mood', 'stars']);
    const learnt = (temperature: number, nucleus: number) => {
      const textSampling = { temperature, nucleus };
      return languageModel.fit({ ...task, settings: { ...task.settings, textEpochs: 4, textSampling }, openText });
    };
    const wordsOf = async (fitted: FittedModel) =>
      new Set(textsOf(await fitted.sample(sampleOf(20)), 'review').flatMap((own) => own?.split(' ') ?? [])).size;
    const [free, narrow] = [await learnt(1.3, 1), await learnt(0.5, 0.6)];
    const few = await wordsOf(narrow);
    expect(few).toBeLessThan(0.8 * (await wordsOf(free)));
    const restored = languageModel.restore(JSON.parse(JSON.stringify(narrow.save())));
    expect(await wordsOf(restored)).toBe(few);
  });

  it('starts from a base where there is one, and is restored on that base alone', async () => {
    resources = { ...resources, base: readTextBase(new Map([['small.gguf', smallGguf()]])) };
    const fitted = await learn(TABLE, ['review'], 2);
    const texts = textsOf(await fitted.sample(sampleOf(8)), 'review');
    const restored = languageModel.restore(JSON.parse(JSON.stringify(fitted.save())));
    expect(textsOf(await restored.sample(sampleOf(8)), 'review')).toEqual(texts);
    resources = { ...resources, base: null };
    await expect(restored.sample(sampleOf(8))).rejects.toThrow('adapts the base "small", which is not there');
  });

  it('starts from a small base where there is no larger one, and is restored without it', async () => {
    const without = resources;
    resources = { ...without, compact: readTextBase(new Map([['small.gguf', smallGguf()]])) };
    const fitted = await learn(FEW, ['review'], 1);
    const texts = textsOf(await fitted.sample(sampleOf(8)), 'review');
    resources = without;
    const restored = languageModel.restore(JSON.parse(JSON.stringify(fitted.save())));
    expect(textsOf(await restored.sample(sampleOf(8)), 'review')).toEqual(texts);
    expect(JSON.stringify(restored.diagnostics())).toContain('small was trained whole on this table alone');
  });

  it('moves texts to other rows only where the rows stand for the whole table', async () => {
    const fitted = await learntOnce();
    const [chosen, whole] = [
      textsOf(await fitted.sample(sampleOf(40)), 'review'),
      textsOf(await fitted.sample({ ...sampleOf(40), representative: true }), 'review'),
    ];
    expect(whole.toSorted()).toEqual(chosen.toSorted());
    const agreeing = (texts: (string | null)[]): number =>
      texts.filter((own, row) => /lovely|great|superb/.test(own ?? '') === (MOODS[row] === 'good')).length;
    expect(agreeing(whole)).toBeGreaterThan(agreeing(chosen));
  });

  it('writes several columns of a row one after another, with missing cells in any', async () => {
    const second = REVIEWS.map((own, k) =>
      k % 3 === 0 ? null : own.includes('was dirty') ? 'Never again!' : `Stay ${k}`,
    );
    const table = tableOf(category('mood', MOODS), text('review', REVIEWS), text('verdict', second));
    const task = fitTask(table, ['review', 'verdict'], ['mood']);
    const settings = { ...task.settings, textEpochs: 1 };
    const fitted = await languageModel.fit({ ...task, settings, openText });
    const made = await fitted.sample(sampleOf(30, table));
    expect(made.map(({ name }) => name)).toEqual(['review', 'verdict']);
    for (const name of ['review', 'verdict']) expect(textsOf(made, name).filter((own) => own === null)).toEqual([]);
  });
});

describe('a language model of odd columns', () => {
  const ones = (of: (k: number) => string | null): ModelColumn => text('review', rows.slice(0, 60).map(of));
  const long = Array.from({ length: 200_000 }, (_, k) => 'abcde fgh'[(k * 7) % 9])
    .join('')
    .slice(0, 1_000_000);
  it.each<[string, ModelColumn]>([
    ['empty texts alone', ones(() => '')],
    ['missing cells alone', ones(() => null)],
    ['one text', ones(() => 'the same text in every row, and it is long enough to learn from')],
    ['two rows', text('review', ['first text', 'second text'])],
    ['a cell of a million characters', ones((k) => (k === 7 ? long.repeat(5) : `plain text number ${k} of many`))],
    [
      'emoji alone',
      ones((k) => ['😀', '👩‍👩‍👧', '🇳🇴', '🤷🏽‍♀️'].map((own, j) => own.repeat(1 + ((k >> j) % 4))).join('')),
    ],
    ['right-to-left text', ones((k) => `שלום עולם ${k} مرحبا بالعالم`)],
    ['no spaces', ones((k) => `日本語の文章です第${k}番目の文`.repeat(2))],
    ['HTML', ones((k) => `<p class="a">Row <b>${k}</b> &amp; more</p>\r\n`)],
    ['control characters', ones((k) => `\u0000\u0001tab\there\u007f ${k}\u2028`)],
    ['special tokens', ones((k) => (k % 2 ? '<|im_end|>' : `<|endoftext|> number ${k} <|im_start|>`))],
  ])('of %s ends well', async (_, column) => {
    const table = tableOf(column, category('mood', MOODS.slice(0, column.kind === 'text' ? column.values.length : 0)));
    const task = fitTask(table, ['review'], ['mood']);
    const settings = { ...task.settings, textEpochs: 1 };
    const fitted = await languageModel.fit({ ...task, settings, openText });
    const made = textsOf(await fitted.sample(sampleOf(6, table)), 'review');
    expect(made.length).toBe(6);
    for (const own of made) expect(own === null || (own.isWellFormed() && own.length <= 20_000)).toBe(true);
  });

  it('leaves a column of few texts to the Markov chain, whatever engine there is', async () => {
    const few = tableOf(
      text('review', REVIEWS.slice(0, MIN_DISTINCT - 1)),
      category('mood', MOODS.slice(0, MIN_DISTINCT - 1)),
    );
    const task = fitTask(few, ['review'], ['mood']);
    const events: ProgressEvent[] = [];
    const fitted = await languageModel.fit({
      ...task,
      openText: () => Promise.reject(new Error('not asked for')),
      onProgress: async (event) => void events.push(event),
    });
    expect(events.at(-1)).toEqual({
      stage: 'fit',
      fact: 'text_writer_chosen',
      column: 'review',
      writer: 'markov_chain',
    });
    expect(fitted.diagnostics()).toMatchObject({ writers: { review: 'markov_chain' } });
    expect(textsOf(await fitted.sample(sampleOf(5, few)), 'review').length).toBe(5);
    const without = await languageModel.fit(fitTask(TABLE, ['review'], ['mood']));
    expect(textsOf(await without.sample({ ...sampleOf(5), openText }), 'review').every((own) => own !== null)).toBe(
      true,
    );
  });
});
