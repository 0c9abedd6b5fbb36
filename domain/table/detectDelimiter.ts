/** How a text file is laid out, from its content: what ends a line and what stands between cells. */
import Papa from 'papaparse';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];
export type Newline = '\n' | '\r';

/** Rows that are compared, at most. */
const ROWS = 200;
/** A delimiter that parts the header and fewer rows than this is a character of the header's text. */
const LEAST_SHARE = 0.5;

/**
 * LF wherever there is one outside quotes, since CR LF ends in it too; CR alone for the files of old.
 */
export function detectNewline(head: string): Newline {
  const unquoted = head.replace(/"[^"]*"?/g, '');
  return unquoted.includes('\n') || !unquoted.includes('\r') ? '\n' : '\r';
}

/**
 * The delimiter that parts the first row, the header, and with which most rows of `head` are equally wide; where several
 * do, the one that makes most cells. A file of one column gets a delimiter that its cells do not have, comma first.
 * `whole` says that `head` is the whole file and its last row complete.
 */
export function detectDelimiter(head: string, newline: Newline, whole: boolean): Delimiter {
  const trials = DELIMITERS.map((delimiter) => ({ delimiter, ...tryOut(head, newline, delimiter, whole) }));
  const parting = trials.filter(({ header, width, share }) => header > 1 && width > 1 && share >= LEAST_SHARE);
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
