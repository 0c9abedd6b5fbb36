/** How a text file is laid out, from its content: what ends a line and what stands between cells. */
import Papa from 'papaparse';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];
export type Newline = '\n' | '\r';

/** Rows that are compared, at most. */
const ROWS = 200;

/**
 * LF wherever there is one outside quotes, since CR LF ends in it too; CR alone for the files of old.
 */
export function detectNewline(head: string): Newline {
  const unquoted = head.replace(/"[^"]*"?/g, '');
  return unquoted.includes('\n') || !unquoted.includes('\r') ? '\n' : '\r';
}

/**
 * The delimiter with which most rows of `head` have as many cells as the first, the header; where several do, the one
 * that makes most cells. A file of one column gets a delimiter that its cells do not have, comma first.
 * `whole` says that `head` is the whole file and its last row complete.
 */
export function detectDelimiter(head: string, newline: Newline, whole: boolean): Delimiter {
  const trials = DELIMITERS.map((delimiter) => ({ delimiter, ...tryOut(head, newline, delimiter, whole) }));
  const parting = trials.filter((trial) => trial.width > 1 && trial.share >= 0.5);
  const candidates = parting.length > 0 ? parting : trials.filter((trial) => trial.width === 1);
  const best = candidates.reduce((a, b) => (b.share > a.share || (b.share === a.share && b.width > a.width) ? b : a), {
    delimiter: ',' as Delimiter,
    width: 0,
    share: 0,
  });
  return best.delimiter;
}

/** Cells of the first row, and the share of rows that have as many and no quote astray. */
function tryOut(
  head: string,
  newline: Newline,
  delimiter: Delimiter,
  whole: boolean,
): { width: number; share: number } {
  const rows: { width: number; astray: boolean }[] = [];
  const parser = new Papa.Parser({
    delimiter,
    newline,
    step: ({ data, errors }: { data: string[][]; errors: unknown[] }) => {
      const cells = data[0];
      if (cells && (cells.length > 1 || cells[0]?.trim()))
        rows.push({ width: cells.length, astray: errors.length > 0 });
      if (rows.length >= ROWS) parser.abort();
    },
  });
  parser.parse(head, 0, !whole);
  const width = rows[0]?.width ?? 1;
  const fitting = rows.filter((row) => row.width === width && !row.astray).length;
  return { width, share: rows.length > 0 ? fitting / rows.length : 0 };
}
