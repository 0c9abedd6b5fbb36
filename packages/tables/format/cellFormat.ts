import type { CellFormat, DecoratedFormat, PlainFormat } from '../../contract/columns.ts';
import { FORMAT_SHARE, formatDecorated, inferDecorated, parseDecorated, plainNumber } from './decorated.ts';
import { formatNumber, inferFormat, parseNumber } from './number.ts';
import { formatTime, inferTime, parseTime } from './time.ts';

/** Undefined for a mismatch. Times count `unit`s since 1970. */
export function parseCell(text: string, format: CellFormat): number | undefined {
  if (format.kind === 'plain') return parseNumber(text);
  return format.kind === 'time' ? parseTime(text, format) : parseDecorated(text, format);
}

/** Clamps to the format's bounds; NaN (missing) gives ''. */
export function formatCell(value: number, format: CellFormat): string {
  if (format.kind === 'plain') return formatNumber(value, format.format);
  return format.kind === 'time' ? formatTime(value, format) : formatDecorated(value, format);
}

/** Plain decimal text; undefined for a mismatch. */
export function plainText(text: string, format: CellFormat): string | undefined {
  if (format.kind === 'plain') return text;
  if (format.kind === 'decorated') return plainNumber(text, format);
  const value = parseTime(text, format);
  return value === undefined ? undefined : String(value);
}

const MAX_TEXTS = 5000;
const GLANCE = 50;
const LONGEST = 48;

/**
 * Returns the format of at least 90 % of the texts (95 % for times), if any.
 * @param texts Distinct, none missing.
 */
export function inferCellFormat(texts: readonly string[]): CellFormat | undefined {
  const some = spread(texts, MAX_TEXTS);
  const glance = spread(some, GLANCE);
  const short = glance.filter((text) => text.length <= LONGEST && /\d/.test(text));
  if (texts.length === 0 || short.length < FORMAT_SHARE * glance.length) return undefined;
  const time = inferTime(some);
  if (time) {
    const format = inferFormat(texts.map((text) => String(parseTime(text, time) ?? '')));
    return format && { ...time, format };
  }
  const plain = inferPlain(texts);
  if (plain?.kind === 'plain') return inferRare(texts, plain) ?? plain;
  return plain ?? withFormatOf(texts, inferDecorated(some));
}

function withFormatOf(texts: readonly string[], format: DecoratedFormat | undefined): CellFormat | undefined {
  const numbers = format && inferFormat(texts.flatMap((text) => plainNumber(text, format) ?? []));
  return numbers && { ...format, format: numbers };
}

/** Finds a decoration that few texts need ("1,204", "(12)"). */
function inferRare(texts: readonly string[], plain: PlainFormat): CellFormat | undefined {
  if (texts.every((text) => parseCell(text, plain) !== undefined)) return undefined;
  const rare = inferDecorated(texts);
  if (!rare) return undefined;
  const ungrouped: DecoratedFormat = { ...rare, grouped: false };
  let gained = 0;
  for (const text of texts) {
    const [before, after] = [parseCell(text, plain), parseCell(text, rare)];
    if (before === undefined) gained += after === undefined ? 0 : 1;
    else if (before !== after || formatCell(after, ungrouped) !== formatCell(before, plain)) return undefined;
  }
  return gained > 0 ? rare : undefined;
}

function inferPlain(texts: readonly string[]): CellFormat | undefined {
  const numbers = texts.filter((text) => parseNumber(text) !== undefined);
  if (numbers.length < FORMAT_SHARE * texts.length) return undefined;
  const format = inferFormat(numbers);
  const hasLeadingZeros = numbers.some((text) => /^\s*[+-]?0\d/.test(text));
  const hasPlus = numbers.some((text) => /^\s*\+/.test(text));
  return (hasLeadingZeros || hasPlus ? inferDecorated(texts) : undefined) ?? (format && { kind: 'plain', format });
}

function spread(items: readonly string[], most: number): readonly string[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);
}
