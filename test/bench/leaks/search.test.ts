import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { leakTable } from '../../../bench/leaks/canaries.ts';
import { CanarySearch } from '../../../bench/leaks/search.ts';

const NAME = 'Vrunt & "Söhne" <KG>';
const search = new CanarySearch([
  { name: 'text', traces: [{ texts: [NAME], numbers: [] }] },
  { name: 'number', traces: [{ texts: [], numbers: [-98765.25] }] },
]);
const counts = (body: string | Uint8Array) =>
  Object.fromEntries([...search.look(Buffer.from(body))].map(([name, { count }]) => [name, count]));
const double = Buffer.from(Float64Array.of(1, -98765.25, 2).buffer);

describe('CanarySearch', () => {
  it.each<[form: string, body: string | Uint8Array]>([
    ['plain, in capitals', 'a VRUNT & "SöHNE" <KG> b'],
    ['JSON', JSON.stringify({ name: NAME })],
    ['JSON in JSON', JSON.stringify(JSON.stringify([NAME]))],
    ['HTML', '<td>Vrunt &amp; &quot;Söhne&quot; &lt;KG&gt;</td>'],
    ['an address', `/?q=${encodeURIComponent(NAME)}`],
    ['CSV', '1,"Vrunt & ""Söhne"" <KG>",2'],
    ['UTF-16', Buffer.from(`x${NAME}`, 'utf16le')],
    ['base64, wherever it begins', Buffer.from(`ab${NAME}`).toString('base64')],
    ['a zip archive', zipSync({ a: strToU8(NAME) })],
    [
      'gzip inside base64',
      gzipSync(`To have more than sixty-four characters, this goes on. ${NAME}`).toString('base64'),
    ],
  ])('finds a text in %s', (_, body) => {
    expect(counts(body).text).toBeGreaterThan(0);
  });

  it.each<[form: string, body: string | Uint8Array]>([
    ['digits', 'from -98765.25 on'],
    ['groups', 'from -98,765.25 on'],
    ['groups with a decimal comma', 'from -98.765,25 on'],
    ['its whole part', 'least: -98,765'],
    ['eight bytes', double],
    ['eight bytes in base64', `{"values":"${double.toString('base64')}"}`],
  ])('finds a number in %s', (_, body) => {
    expect(counts(body).number).toBeGreaterThan(0);
  });

  it('finds nothing where there is nothing, and no number inside another', () => {
    expect(counts('Vrunt, Sohne; 1-98765.251, a-98765f')).toEqual({});
  });

  it('finds every kind of cell in the upload itself', () => {
    const { csv, canaries } = leakTable(1);
    const found = new CanarySearch(canaries).look(Buffer.from(csv));
    expect([...found.keys()].sort()).toEqual(canaries.map(({ name }) => name).sort());
    expect(canaries).toHaveLength(11);
  });
});
