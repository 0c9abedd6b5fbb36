/** Rows whose quotes are as every writer sets them, in one pass over the text: a third of the time that papaparse takes. */
import Papa from 'papaparse';

export const QUOTE = 0x22;
export const LINE_FEED = 0x0a;
export const RETURN = 0x0d;

/** Reads one row after the other; nothing is kept between rows but where the latest ends. */
export class PlainRowReader {
  /** Behind the line break of the row that was read last. */
  end = 0;
  /** Why no row was read: the text ended first, and nothing in it was odd. */
  ranOut = false;
  private readonly delimiter: number;
  private readonly newline: number;
  /** Behind the cell that was read last: its delimiter or line break. */
  private at = 0;

  /** `delimiter`: one character. */
  constructor(delimiter: string, newline: Newline) {
    this.delimiter = delimiter.charCodeAt(0);
    this.newline = newline.charCodeAt(0);
  }

  /**
   * The cells of the row that begins at `start`, as papaparse gives them, without the CR of a CR LF. Undefined where the
   * text ends before the row does (`ranOut`), and where a closing quote is followed by more than a delimiter or a line break.
   */
  read(text: string, start: number): string[] | undefined {
    const { delimiter, newline } = this;
    const { length } = text;
    const cells: string[] = [];
    this.ranOut = false;
    for (let from = start; from < length; ) {
      let at = from;
      let code = text.charCodeAt(at);
      if (code === QUOTE) {
        const cell = this.quoted(text, from);
        if (cell === undefined) return undefined;
        cells.push(cell);
        at = this.at;
        code = text.charCodeAt(at);
      } else {
        while (code !== delimiter && code !== newline) {
          if (++at >= length) return this.runOut();
          code = text.charCodeAt(at);
        }
        const hasReturn = code === LINE_FEED && at > from && text.charCodeAt(at - 1) === RETURN;
        cells.push(text.slice(from, hasReturn ? at - 1 : at));
      }
      from = at + 1;
      if (code === newline) {
        this.end = from;
        return cells;
      }
    }
    return this.runOut();
  }

  private runOut(): undefined {
    this.ranOut = true;
  }

  /** The text of the cell whose quote opens at `open`; `at` is then at the delimiter or the line break behind it. */
  private quoted(text: string, open: number): string | undefined {
    let hasDoubled = false;
    let close = text.indexOf('"', open + 1);
    while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) {
      hasDoubled = true;
      close = text.indexOf('"', close + 2);
    }
    if (close < 0) return this.runOut();
    let at = close + 1;
    if (this.newline === LINE_FEED && text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === LINE_FEED) at++;
    const code = text.charCodeAt(at);
    if (code !== this.delimiter && code !== this.newline) return undefined;
    this.at = at;
    const cell = text.slice(open + 1, close);
    return hasDoubled ? cell.replaceAll('""', '"') : cell;
  }
}

// How a text file is laid out, from its content: what ends a line and what stands between cells.

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];
export type Newline = '\n' | '\r';

/** Rows that are compared, at most. */
const ROWS = 200;
/** A delimiter that parts the header and fewer rows than this is a character of the header's text. */
const MIN_SHARE = 0.5;

/**
 * LF wherever there is one outside quotes, since CR LF ends in it too; CR alone in very old files.
 */
export function detectNewline(head: string): Newline {
  // A quote opens a cell only where the cell begins: elsewhere it is an inch or a slip.
  const unquoted = head.replace(/(^|[,;\t|\r\n])"[^"]*(?:""[^"]*)*"?/g, '$1');
  return unquoted.includes('\n') || !unquoted.includes('\r') ? '\n' : '\r';
}

/**
 * The delimiter that parts the first row, the header, and with which most rows of `head` are equally wide; where several
 * do, the one that makes most cells. A file of one column gets a delimiter that its cells do not have, comma first.
 * `whole` says that `head` is the whole file and its last row complete.
 */
export function detectDelimiter(head: string, newline: Newline, { whole }: { whole: boolean }): Delimiter {
  const trials = DELIMITERS.map((delimiter) => ({ delimiter, ...tryOut(head, newline, delimiter, whole) }));
  const parting = trials.filter(({ header, width, share }) => header > 1 && width > 1 && share >= MIN_SHARE);
  const candidates = parting.length > 0 ? parting : trials.filter(({ header, width }) => header === 1 && width === 1);
  const nothing = { delimiter: ',' as Delimiter, width: 0, share: 0 };
  const isBetter = (a: typeof nothing, b: typeof nothing) =>
    a.share > b.share || (a.share === b.share && a.width > b.width);
  return candidates.reduce((best, trial) => (isBetter(trial, best) ? trial : best), nothing).delimiter;
}

interface Trial {
  /** Cells of the first row. */
  header: number;
  /** Cells that most rows have, and the share of rows that have as many and no quote astray. */
  width: number;
  share: number;
}

function tryOut(head: string, newline: Newline, delimiter: Delimiter, whole: boolean): Trial {
  const counts = new Map<number, number>();
  let header = 0;
  let rows = 0;
  const parser = new Papa.Parser({
    delimiter,
    newline,
    step: ({ data, errors }: { data: string[][]; errors: unknown[] }) => {
      const cells = data[0] ?? [];
      if (cells.length === 1 && cells[0]?.trim() === '') return;
      header ||= cells.length;
      const width = withoutSurplus(cells, header);
      if (errors.length === 0) counts.set(width, (counts.get(width) ?? 0) + 1);
      if (++rows >= ROWS) parser.abort();
    },
  });
  parser.parse(head, 0, !whole);
  const [width, count] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [header, 0]);
  return { header, width, share: rows > 0 ? count / rows : 0 };
}

/** The number of cells, empty ones beyond the header's left out. */
function withoutSurplus(cells: readonly string[], header: number): number {
  let width = cells.length;
  while (width > header && cells[width - 1]?.trim() === '') width--;
  return width;
}

/** Line breaks in `text` from `start` to `end`: LF, CR LF as one, and CR alone. */
export function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  for (let at = text.indexOf('\r', start); at >= 0 && at < end; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== LINE_FEED) lines++;
  }
  return lines;
}
