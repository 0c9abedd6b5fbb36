import { describe, expect, it } from 'vitest';
import { type Encoding, encodingOf } from '../../packages/contract/files.ts';
import { guessEncoding } from '../../packages/tables/decodeText.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { readCsv } from '../../packages/tables/readCsv.ts';
import { readTable } from '../../packages/tables/readTable.ts';
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
  it.each([FRENCH, GERMAN, NORSK])('says Windows-1252 where Latin-1 reads the same: %j', (text) => {
    expect(guessEncoding(encode(text, 'windows-1252'))).toBe('windows-1252');
  });

  it.each([
    ['windows-1252', 'note,price\n“Très bon” – it’s good,€ 12\n“Façade” … d’été,€ 9\n'],
    ['iso-8859-15', 'mot,prix\nsœur,12 €\ncœur,13 €\nbœuf,14 €\n'],
    ['macintosh', FRENCH],
    ['macintosh', GERMAN],
    ['macintosh', NORSK],
    ['shift_jis', '名前,都市\nさくら,東京\nたろう,大阪\n'],
    ['windows-1251', 'имя,город\nАнна,Москва\nИван,Казань\n'],
  ])('says %s', (label, text) => {
    expect(guessEncoding(encode(text, label))).toBe(label);
  });

  it.each(['le', 'be'] as const)('says UTF-16 %s where every second byte is NUL', (order) => {
    expect(guessEncoding(utf16('a,bø\n1,2\n', order).slice(2))).toBe(`utf-16${order}`);
  });

  it('says that a file of UTF-8 with single broken bytes is mixed', () => {
    const bytes = new TextEncoder().encode('blåbær,æøå\n');
    expect(guessEncoding(Uint8Array.from([...bytes, 0xe9, 0x0a]))).toBe('utf-8-windows-1252');
    expect(guessEncoding(Uint8Array.of(0xe9, 0x0a), 20)).toBe('utf-8-windows-1252');
  });

  it('guesses for bytes of any kind', () => {
    for (let byte = 0x80; byte < 0x100; byte++) expect(guessEncoding(Uint8Array.of(byte))).not.toBe('');
  });
});

describe('a file in the encoding that is given', () => {
  const cellsOf = async (bytes: Uint8Array, encoding: Encoding, name = 't.csv') => {
    const { dialect, columns } = await profileUpload(bytesOf(bytes, 5), name, encoding);
    const table = await readTable(bytesOf(bytes, 3), dialect);
    expect(table.columns.map((column) => column.name)).toEqual(columns.map((column) => column.name));
    return table.columns.map((column) => [column.name, ...column.levels]);
  };

  it.each<[Encoding, string]>([
    ['windows-1252', FRENCH],
    ['iso-8859-15', 'mot,prix\nsœur,12 €\ncœur,13 €\n'],
    ['windows-1250', 'jméno,město\nŽofie,Český Těšín\n'],
    ['macintosh', NORSK],
    ['windows-1251', 'имя,город\nАнна,Москва\n'],
    ['shift_jis', '名前,都市\nさくら,東京\nたろう,大阪\n'],
  ])('comes out in %s as it was meant, in pieces of any size, at both readings', async (encoding, text) => {
    const [header = [], ...rows] = text
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(await cellsOf(encode(text, encoding), encoding)).toEqual(
      header.map((name, at) => [name, ...rows.map((row) => row[at])]),
    );
  });

  it('reads bytes that are not UTF-8 as Windows-1252, and all others as UTF-8', async () => {
    const utf8 = (text: string) => [...new TextEncoder().encode(text)];
    const bytes = [...utf8('navn,nr\nÅse 🦒,1\nS'), 0xe3, ...utf8('o,2\n“Perla” Ot'), 0xf3, ...utf8('n,3\nbl'), 0xe2];
    expect(await cellsOf(Uint8Array.from(bytes), 'utf-8-windows-1252')).toEqual([
      ['navn', 'Åse 🦒', 'São', '“Perla” Otón', 'blâ'],
      ['nr', '1', '2', '3'],
    ]);
  });

  it('has its byte order mark believed before what is given, and is refused where it is not in it', async () => {
    expect(await cellsOf(utf16('å,b\n1,2\n', 'le'), 'windows-1252')).toEqual([
      ['å', '1'],
      ['b', '2'],
    ]);
    await expect(cellsOf(Uint8Array.of(0x61, 0x0a, 0x81, 0x0a), 'shift_jis')).rejects.toMatchObject({
      code: 'encoding_error',
      params: { encoding: 'SHIFT_JIS', probably: null },
    });
  });

  it('may be called .tsv, where tabs are found as in .csv', async () => {
    expect(await cellsOf(encode('nom\tprix, net\nHélène\t1,5\n', 'windows-1252'), 'windows-1252', 'T.TSV')).toEqual([
      ['nom', 'Hélène'],
      ['prix, net', '1,5'],
    ]);
  });

  it('is known by other names of its encoding', () => {
    expect(['latin1', ' CP1252 ', 'sjis', 'UTF-8', 'utf-16', 'mac', 'utf8-windows', ''].map(encodingOf)).toEqual([
      'windows-1252',
      'windows-1252',
      'shift_jis',
      'utf-8',
      'utf-16le',
      'macintosh',
      undefined,
      undefined,
    ]);
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
    expect(message).toContain(
      'It is probably Windows-1252 (Western European). Send the form field encoding=windows-1252 with the file',
    );
  });

  it('names UTF-16 whatever its characters are', async () => {
    expect(await messageOf(utf16('navn,år\nå,1\n', 'le').slice(2))).toContain('UTF-16 LE without');
    expect(await messageOf(utf16('navn,år\nå,1\n', 'be').slice(2))).toContain('UTF-16 BE without');
  });
});
