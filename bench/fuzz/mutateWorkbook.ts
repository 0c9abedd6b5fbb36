/** Workbooks whose archive is in order and whose parts are not, and archives that lie about their parts. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { mutate } from './mutate.ts';
import { type ZipPart, zipOf } from './zip.ts';

/** Values of attributes and cells that readers trip over. */
const VALUES = [
  '',
  '0',
  '-1',
  '1',
  '2',
  '65536',
  '1048577',
  '4294967295',
  '1e308',
  '-1e-308',
  'NaN',
  'A0',
  'XFD1048576',
  'XFE1',
  'ZZZZZZ99999999',
  'A1:XFD1048576',
  'a',
  's',
  'str',
  'b',
  'd',
  'e',
  'n',
  'inlineStr',
  '#N/A',
  '2024-13-45',
  '45371.5',
  'rId1',
  'rId99',
  '__proto__',
  'constructor',
  '&#x110000;',
  '&amp;',
  '"$"#,##0.00',
  '[h]:mm',
  '0.0%',
  '[Red',
];
/** Pieces of XML that belong somewhere, but hardly where they are put. */
const PIECES = [
  '<c r="B7" t="s"><v>99999</v></c>',
  '<c r="A1048576"><v>1</v></c>',
  '<row r="1048577"/>',
  '<row>',
  '</row>',
  '</sheetData>',
  '<mergeCell ref="A1:XFD1048576"/>',
  '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>',
  '<hyperlink ref="A1:XFD1048576" r:id="rId1"/>',
  '<workbookPr date1904="1"/>',
  '<numFmt numFmtId="164" formatCode="[&gt;1]0.0;@;&quot;"/>',
  '<si><t>x</t></si>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<is><t xml:space="preserve"> </t></is>',
  '<f t="shared" si="0"/>',
];

type TextMutation = (text: string, random: RandomStream) => string;

const pick = <T>(items: readonly T[], random: RandomStream): T => items[random.integer(items.length)]!;

const replaceOne = (text: string, pattern: RegExp, random: RandomStream, by: (found: string) => string): string => {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const { 0: old, index } = pick(found, random);
  return text.slice(0, index) + by(old) + text.slice(index + old.length);
};

const attribute: TextMutation = (text, random) =>
  replaceOne(text, /="[^"]*"/g, random, () => `="${pick(VALUES, random)}"`);
const content: TextMutation = (text, random) =>
  replaceOne(text, />[^<>]+</g, random, () => `>${pick(VALUES, random)}<`);
const dropTag: TextMutation = (text, random) => replaceOne(text, /<[^<>]*>/g, random, () => '');
const doubleTag: TextMutation = (text, random) => replaceOne(text, /<[^<>]*>/g, random, (tag) => tag + tag);
const dropElement: TextMutation = (text, random) => replaceOne(text, /<(\w+)[^<>]*>[^<>]*<\/\1>/g, random, () => '');
const insert: TextMutation = (text, random) => replaceOne(text, /</g, random, (old) => pick(PIECES, random) + old);
const repeatMany: TextMutation = (text, random) =>
  replaceOne(text, /<(\w+)[^<>]*>[^<>]*<\/\1>/g, random, (element) => element.repeat(1 + random.integer(500)));
const prefix: TextMutation = (text) => text.replace(/<(\/?)(\w)/g, '<$1x:$2');

const IN_XML: readonly TextMutation[] = [
  attribute,
  attribute,
  attribute,
  content,
  content,
  dropTag,
  doubleTag,
  dropElement,
  insert,
  insert,
  repeatMany,
  prefix,
];

/** One to six changes in the XML of one of the parts, which is packed again as it should be. */
function inXml(parts: readonly ZipPart[], random: RandomStream): ZipPart[] {
  const chosen = random.integer(parts.length);
  return parts.map((part, index) => {
    if (index !== chosen) return part;
    if (random.integer(4) === 0) return { ...part, bytes: mutate([part.bytes], random) };
    let text = new TextDecoder().decode(part.bytes);
    for (let left = 1 + random.integer(6); left > 0; left--) text = pick(IN_XML, random)(text, random);
    return { ...part, bytes: new TextEncoder().encode(text) };
  });
}

const SIZES = [0, 1, 100, 2 ** 20, 2 ** 28, 2 ** 32 - 1];

/** Parts dropped, doubled, renamed and put in another's place, and sizes, methods and offsets that are not theirs. */
function inArchive(parts: readonly ZipPart[], random: RandomStream): ZipPart[] {
  const changed = [...parts];
  const chosen = random.integer(changed.length);
  const part = changed[chosen]!;
  const changes: (() => unknown)[] = [
    () => changed.splice(chosen, 1),
    () => changed.push(part),
    () => (changed[chosen] = { ...part, name: pick(parts, random).name }),
    () => (changed[chosen] = { ...part, name: mutateName(part.name, random) }),
    () => (changed[chosen] = { ...part, bytes: pick(parts, random).bytes }),
    () => (changed[chosen] = { ...part, declaredBytes: pick(SIZES, random) }),
    () => (changed[chosen] = { ...part, packedBytes: pick(SIZES, random) }),
    () => (changed[chosen] = { ...part, method: random.integer(20) }),
    () => (changed[chosen] = { ...part, offset: random.integer(5000) }),
    () => (changed[chosen] = { ...part, bytes: new Uint8Array(random.integer(2 ** 16)) }),
  ];
  pick(changes, random)();
  return changed;
}

const mutateName = (name: string, random: RandomStream): string =>
  new TextDecoder().decode(mutate([new TextEncoder().encode(name)], random)).slice(0, 100);

/** A mutated workbook; the same stream gives the same one. */
export function mutateWorkbook(books: readonly (readonly ZipPart[])[], random: RandomStream): Uint8Array {
  let parts = [...pick(books, random)];
  for (let left = 1 + random.integer(2); left > 0 && parts.length > 0; left--) {
    parts = random.integer(4) === 0 ? inArchive(parts, random) : inXml(parts, random);
  }
  return zipOf(parts);
}
