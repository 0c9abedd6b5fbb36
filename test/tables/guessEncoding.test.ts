import { describe, expect, it } from 'vitest';
import { guessEncoding } from '../../packages/tables/decodeText.ts';
import { readCsv } from '../../packages/tables/readCsv.ts';
import { bytesOf, utf16 } from '../support/bytes.ts';
import { httpText } from '../support/problems.ts';

/** The text's bytes in an encoding of one or two bytes a character, as its decoder has them. */
function encode(text: string, label: string): Uint8Array {
  const bytesByChar = new Map<string, number[]>();
  const decoder = new TextDecoder(label);
  const add = (bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if ([...char].length === 1 && !bytesByChar.has(char)) bytesByChar.set(char, bytes);
  };
  for (let byte = 0; byte < 256; byte++) add([byte]);
  if (label === 'shift_jis') {
    for (let lead = 0x81; lead < 0xa0; lead++) for (let trail = 0x40; trail < 0xfd; trail++) add([lead, trail]);
  }
  return Uint8Array.from([...text].flatMap((char) => bytesByChar.get(char) ?? [0x3f]));
}

const FRENCH = 'nom,ville,prix\nHélène,Besançon,12\nRené,Orléans,13\nZoë,Nîmes,14\n';
const GERMAN = 'Name,Straße\nMüller,Jägerstraße 3\nGrößmann,Königsallee\nÖzil,Überweg\n';
const NORSK = 'navn,sted\nBjørn,Tromsø\nÅse,Ålesund\nPål,Bærum\n';

describe('guessEncoding', () => {
  it.each([FRENCH, GERMAN, NORSK])('says Windows-1252 or Latin-1 where both read the same: %j', (text) => {
    expect(guessEncoding(encode(text, 'windows-1252'))).toBe('Windows-1252 or ISO-8859-1 (Latin-1)');
  });

  it.each([
    ['Windows-1252', 'windows-1252', 'note,price\n“Très bon” – it’s good,€ 12\n“Façade” … d’été,€ 9\n'],
    ['ISO-8859-15 (Latin-9)', 'iso-8859-15', 'mot,prix\nsœur,12 €\ncœur,13 €\nbœuf,14 €\n'],
    ['Mac Roman', 'macintosh', FRENCH],
    ['Mac Roman', 'macintosh', GERMAN],
    ['Mac Roman', 'macintosh', NORSK],
    ['Shift-JIS', 'shift_jis', '名前,都市\nさくら,東京\nたろう,大阪\n'],
    ['Windows-1251', 'windows-1251', 'имя,город\nАнна,Москва\nИван,Казань\n'],
  ])('says %s', (name, label, text) => {
    expect(guessEncoding(encode(text, label))).toBe(name);
  });

  it.each(['le', 'be'] as const)('says UTF-16 %s where every second byte is NUL', (order) => {
    expect(guessEncoding(utf16('a,bø\n1,2\n', order).slice(2))).toBe(
      `UTF-16 ${order.toUpperCase()} without a byte order mark`,
    );
  });

  it('says that a file of UTF-8 with single broken bytes is mixed', () => {
    const bytes = new TextEncoder().encode('blåbær,æøå\n');
    expect(guessEncoding(Uint8Array.from([...bytes, 0xe9, 0x0a]))).toContain('UTF-8 with bytes of Windows-1252');
    expect(guessEncoding(Uint8Array.of(0xe9, 0x0a), 20)).toContain('UTF-8 with bytes of Windows-1252');
  });

  it('guesses for bytes of any kind', () => {
    for (let byte = 0x80; byte < 0x100; byte++) expect(guessEncoding(Uint8Array.of(byte))).not.toBe('');
  });
});

describe('the message for text that is not UTF-8', () => {
  const messageOf = (bytes: Uint8Array, chunk?: number) => {
    const sink = { header: () => {}, row: () => {} };
    return readCsv(bytesOf(bytes, chunk), { encoding: 'utf-8', markBytes: 0 }, sink).then(() => '', httpText);
  };

  it('names the probable encoding beside the byte, its offset and its line', async () => {
    const message = await messageOf(encode(FRENCH, 'windows-1252'), 7);
    expect(message).toContain('byte 0xE9 at byte offset 16, in line 2, does not decode.');
    expect(message).toContain('It is probably Windows-1252 or ISO-8859-1 (Latin-1).');
  });

  it('names UTF-16 whatever its characters are', async () => {
    expect(await messageOf(utf16('navn,år\nå,1\n', 'le').slice(2))).toContain('UTF-16 LE without');
    expect(await messageOf(utf16('navn,år\nå,1\n', 'be').slice(2))).toContain('UTF-16 BE without');
  });
});
