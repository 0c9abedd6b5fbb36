import { describe, expect, test } from 'vitest';
import { hashText } from '../../../../packages/synthesis/disclosure/guardTexts.ts';
import {
  createSpeller,
  type Spelled,
  type Speller,
  UNSPELLED,
} from '../../../../packages/synthesis/models/text/speller.ts';
import { englishWords, fitSpelling, type Spelling } from '../../../../packages/synthesis/models/text/spelling.ts';

const english = await englishWords();
/** Knows the list alone, and lets nothing else through. */
const bare: Spelling = {
  own: [],
  usesList: true,
  unending: [],
  rare: [],
  rarelyBegun: [],
  others: 0,
  repeated: 1,
  forms: null,
};

/** Letter by letter, as far as the speller goes along. */
function spelled(speller: Speller, text: string): string {
  let now: Spelled = UNSPELLED;
  for (const [at, letter] of [...text].entries()) {
    const next = speller.after(now, letter);
    if (!next) return text.slice(0, at);
    speller.took(now, next);
    now = next;
  }
  return speller.mayEnd(now) ? text : `${text}…`;
}

describe('spelling', () => {
  test.each([
    ['A hint of ripe, dark cherry.', 'A hint of ripe, dark cherry.'],
    ["It isn't MILK: it's 100% oat-milk", "It isn't MILK: it's 100% oat-milk"],
    ['A hint ofpripe', 'A hint of'],
    ['Businal', 'Busin'],
    ['an Xinomavro', 'an X'],
    ['an Assyrtiko', 'an Assyrtiko'],
    ['cherr', 'cherr…'],
    ['Käse', 'K'],
  ])('%s → %s', (text, expected) => {
    const speller = createSpeller({ ...bare, own: ['assyrtiko'] }, english);
    expect(spelled(speller, text)).toBe(expected);
  });

  test('pieces of several letters are as their letters', () => {
    const speller = createSpeller(bare, english);
    expect(speller.after(UNSPELLED, 'ripe che')).toMatchObject({ word: 'che', counts: { words: 1, others: 0 } });
    expect(speller.after(UNSPELLED, 'ripee che')).toBeUndefined();
  });

  test('says whether a word is whole', () => {
    const speller = createSpeller(bare, english);
    const isWhole = (text: string): boolean => speller.isWhole(speller.after(UNSPELLED, text)!);
    expect(['the pedal', 'the peda', 'the '].map(isWhole)).toEqual([true, false, true]);
  });

  test('a text does not end with a word that ends none', () => {
    const speller = createSpeller({ ...bare, unending: ['the'] }, english);
    expect(['the', 'the hill', 'the '].map((text) => spelled(speller, text))).toEqual(['the…', 'the hill', 'the ']);
  });

  test('repeats words as often as the column does', () => {
    const rarely = createSpeller({ ...bare, repeated: 0.01 }, english);
    expect(spelled(rarely, 'Very very dry')).toBe('Very very');
    expect(spelled(rarely, 'very, very dry of the then, the')).toBe('very, very dry of the then, the');
    for (let k = 0; k < 25; k++) spelled(rarely, 'dark oak and spice ');
    expect(['the the ', 'the the '].map((text) => spelled(rarely, text))).toEqual(['the the ', 'the the']);
  });

  test('lets other words through by a quarter of their share', () => {
    const speller = createSpeller({ ...bare, others: 0.4 }, english);
    const written = Array.from({ length: 100 }, () => spelled(speller, 'Xinomavro '));
    expect(written.filter((text) => text.startsWith('Xinomavro'))).toHaveLength(0);
    for (let k = 0; k < 100; k++) spelled(speller, 'a cherry ');
    const later = Array.from({ length: 100 }, () => spelled(speller, 'Xinomavro '));
    const through = later.filter((text) => text.startsWith('Xinomavro')).length;
    // Of 200 known words and themselves.
    expect(through).toBe(Math.floor(0.1 * (200 + through)));
  });

  test('lets no word through that few owners have, nor what begins like one', () => {
    const rare = { rare: [hashText('xino')], rarelyBegun: [hashText('moscho')] };
    const alone = (text: string) => spelled(createSpeller({ ...bare, ...rare, others: 4 }, english), text);
    expect(['Xino ', 'xino', 'Xinomavro'].map(alone)).toEqual(['Xino', 'xino…', 'Xinomavro']);
    expect(['Moschino ', 'Moschofilero'].map(alone)).toEqual(['Moschino ', 'Mosch']);
  });
});

describe('forms', () => {
  const formed = (share: number, text: string) => {
    const forms = { mixed: ['000ml', '0th', 'H0O', 'McLaren'], share };
    const own = ['mclaren', 'mcwilson', 'h', 'o', 'th', 'ml'];
    return spelled(createSpeller({ ...bare, own, forms }, english), text);
  };

  test.each([
    ['A McLaren, an OAK', 'A McLaren, an OAK'],
    ['A McWilson', 'A Mc'],
    ['OAKs', 'OAKs'],
    ['an AnglinG', 'an Anglin'],
    ['the 7th H2O of 250ml in 2012', 'the 7th H2O of 250ml in 2012'],
    ['Oak2013', 'Oak'],
    ['2013oak', '2013'],
  ])('capitals and digits stand within words as in the column: %s → %s', (text, expected) => {
    expect(formed(0, text)).toBe(expected);
  });

  test('others are let through by a quarter of their share', () => {
    expect(formed(4, 'A McWilson')).toBe('A McWilson');
    expect(formed(3.9, 'McWilson')).toBe('Mc');
  });
});

describe('fitSpelling', () => {
  const texts = Array.from(
    { length: 250 },
    (_, row) => `dark cherry ${row < 4 ? 'Xinomavro' : row < 6 ? `Moscho${'filer'.repeat(row)}` : 'Assyrtiko'} ${row}`,
  );

  test('keeps words of the column that five have, and lets as many others through as are met once', async () => {
    const hashes = (...words: string[]) => words.map(hashText).sort((a, b) => a - b);
    expect(await fitSpelling(texts)).toEqual({
      own: ['assyrtiko'],
      usesList: true,
      unending: [],
      others: 2 / 750,
      repeated: 0,
      forms: { mixed: [], share: 0 },
      rare: hashes('xinomavro', 'moschofilerfilerfilerfiler', 'moschofilerfilerfilerfilerfiler'),
      rarelyBegun: hashes('xinoma', 'moschofilerfilerfi', 'moschofilerfilerfiler'),
    });
  });

  test('keeps forms that five have, with digits as zeros, and the share of those met once', async () => {
    const wines = Array.from(
      { length: 200 },
      (_, row) => `oak ${row % 2 === 0 ? 'McLaren' : `${row}th`} ${row === 7 ? 'MuggiesT' : 'ripe'}`,
    );
    expect((await fitSpelling(wines))?.forms).toEqual({ mixed: ['000th', '00th', '0th', 'McLaren'], share: 1 / 600 });
  });

  test('knows how many words repeat the one before', async () => {
    const very = Array.from({ length: 400 }, (_, row) =>
      row < 10 ? 'very Very dry' : row < 20 ? 'so so so' : 'dry, dry as',
    );
    expect((await fitSpelling(very))?.repeated).toBe(30 / 1200);
  });

  test('knows which words end no text', async () => {
    const titles = Array.from({ length: 200 }, (_, row) => (row % 2 === 0 ? 'the night of a king' : 'night fever'));
    expect((await fitSpelling(titles))?.unending).toEqual(['the', 'night', 'of', 'a']);
  });

  test('keeps no word of one owner, however many texts have it', async () => {
    const many = Array.from({ length: 300 }, (_, row) => `dark cherry ${row < 40 ? 'Xinomavro' : 'oak'}`);
    const ofOne = many.map((_, row) => (row < 40 ? 0 : row));
    expect((await fitSpelling(many, ofOne))?.own).toEqual([]);
    expect((await fitSpelling(many))?.own).toEqual(['xinomavro']);
  });

  test('of another language are the words that many have', async () => {
    const norwegian = Array.from({ length: 300 }, (_, row) =>
      row < 3 ? 'Koselig leilighet i Sørlia' : `Koselig leilighet på ${row % 2 === 0 ? 'Grünerløkka' : 'Majorstuen'}`,
    );
    const spelling = await fitSpelling(norwegian);
    expect(spelling?.own).toEqual(['grünerløkka', 'koselig', 'leilighet', 'majorstuen', 'på']);
    expect(spelling?.rare).toEqual([hashText('i'), hashText('sørlia')].sort((a, b) => a - b));
    const speller = createSpeller(spelling!, english);
    expect(spelled(speller, 'Koselig leilighet på Grünerstuen')).toBe('Koselig leilighet på Grüner');
    expect(spelled(speller, 'Koselig cherry')).toBe('Koselig ');
  });

  test('of two languages are those of the list, too', async () => {
    const mixed = Array.from({ length: 300 }, (_, row) => (row % 2 === 0 ? 'Leilighet på Grünerløkka' : 'A cosy flat'));
    const spelling = await fitSpelling(mixed);
    expect(spelling).toMatchObject({ own: ['grünerløkka', 'leilighet', 'på'], usesList: true });
    expect(spelled(createSpeller(spelling!, english), 'A cherry på Grünerløkka')).toBe('A cherry på Grünerløkka');
  });

  test('is not of texts whose words few have, or of a few texts', async () => {
    const streets = Array.from({ length: 300 }, (_, row) => {
      const name = String.fromCodePoint(0xe0 + (row % 20), 0xe0 + Math.floor(row / 20));
      return `Straße ${name}, ${name}${name}: ${row}`;
    });
    expect(await fitSpelling(streets)).toBeNull();
    expect(await fitSpelling(texts.slice(0, 20))).toBeNull();
  });
});
