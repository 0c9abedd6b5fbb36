/** The text of a spreadsheet's cell: what is shown, as far as it can be read back. */
import { type CellObject, SSF } from 'xlsx';
import { takeApart } from '../dress/learnDecorated.ts';
import { isPercent, isPrefix, isSuffix } from '../dress/units.ts';
import { parseNumber } from './numberFormat.ts';
import { type DateSystem, serialText, type TimeFields, timeFieldsOf } from './serialTime.ts';

export type Cell = CellObject | undefined;

/** Letters that a number format of Excel has at most. */
const LONGEST_FORMAT = 255;
/** Formats of one workbook that are kept. */
const MOST_FORMATS = 1000;

type Show = (value: number) => string;

/** Reads the cells of one workbook, whose dates are counted in `system`. */
export class CellReader {
  private readonly system: DateSystem;
  private readonly formats = new Map<string, Show>();

  constructor(system: DateSystem) {
    this.system = system;
  }

  /**
   * Texts as they are; TRUE and FALSE; dates and times as ISO 8601 has them; numbers as their format shows them where that
   * is the number itself ("12 %", "$3.50", "1,204"), else in full; '' for an empty cell and for an error.
   */
  text(cell: Cell): string {
    if (!cell || cell.v === undefined || cell.v === null || cell.t === 'e' || cell.t === 'z') return '';
    if (cell.t === 'b') return cell.v ? 'TRUE' : 'FALSE';
    if (cell.t !== 'n' || typeof cell.v !== 'number') return String(cell.v);
    if (cell.z === undefined || cell.z === 'General') return String(cell.v);
    return this.show(String(cell.z))(cell.v);
  }

  private show(format: string): Show {
    const known = this.formats.get(format);
    if (known) return known;
    if (this.formats.size >= MOST_FORMATS) this.formats.clear();
    const show = showOf(format, this.system);
    this.formats.set(format, show);
    return show;
  }
}

function showOf(format: string, system: DateSystem): Show {
  if (format.length > LONGEST_FORMAT || format === '@') return String;
  if (!SSF.is_date(format)) {
    const probe = shown(positivePart(format), PROBE);
    const isReadable = probe !== undefined && isNumber(probe, PROBE);
    return isReadable ? (value) => numberText(value, format) : String;
  }
  const fields = timeFieldsOf(format);
  return (value) => momentText(value, system, fields) ?? shown(format, value, system) ?? String(value);
}

/** A number that formats in thousands or fractions show otherwise than it is. */
const PROBE = 12_345_678.9;

const positivePart = (format: string): string => format.split(';')[0] ?? '';

const momentText = (value: number, system: DateSystem, fields: TimeFields | undefined): string | undefined =>
  fields && serialText(value, system, fields);

/** As the format shows it, or the format's part for numbers above zero (which may show zero as "-"), or in full. */
function numberText(value: number, format: string): string {
  const whole = shown(format, value);
  if (whole !== undefined && isNumber(whole, value)) return whole;
  const positive = positivePart(format);
  const alone = positive === format ? undefined : shown(positive, value);
  return alone !== undefined && isNumber(alone, value) ? alone : String(value);
}

function shown(format: string, value: number, system: DateSystem = 1900): string | undefined {
  try {
    const text = SSF.format(format, value, { date1904: system === 1904 }).trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Half a unit of the last digit, and the noise of doubles. */
const ROUNDING = 0.5000001;

/** Whether the text can be read as the number, but for the digits that it does not show. */
function isNumber(text: string, value: number): boolean {
  const plain = parseNumber(text);
  if (plain !== undefined) return isRounded(plain, value, text);
  const parts = takeApart(text);
  if (!parts || !isPrefix(parts.prefix) || !isSuffix(parts.suffix)) return false;
  const digits = parts.core.replaceAll(',', '');
  const isNegative = parts.sign !== '' && parts.sign !== '+';
  const read = (isNegative ? -1 : 1) * Number(digits);
  return isRounded(read, isPercent(parts.suffix) ? 100 * value : value, digits);
}

function isRounded(read: number, value: number, digits: string): boolean {
  const [, fraction = '', exponent = '0'] = /^[^.eE]*(?:\.(\d*))?(?:[eE](.*))?$/.exec(digits) ?? [];
  const unit = 10 ** (Number(exponent) - fraction.length);
  return Math.abs(read - value) <= ROUNDING * unit + 1e-9 * Math.abs(value);
}
