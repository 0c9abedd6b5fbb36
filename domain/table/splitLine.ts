/** One line of a delimited file to cells, with quotes that are neither doubled nor at the end of their cell: `"Big" Mike,3`. */

const QUOTE = '"';

export interface SplitLine {
  cells: string[];
  /** A cell begins with a quote and goes on behind the quote that should close it: it was kept as it stands. */
  hasLoneQuotes: boolean;
}

/**
 * The cells of a row that is on one line, without its line break; undefined where a quote is open at its end. Where no
 * cell has lone quotes they are those of every other reader.
 */
export function splitLine(line: string, delimiter: string): SplitLine | undefined {
  const cells: string[] = [];
  let hasLoneQuotes = false;
  for (let at = 0; ; at++) {
    if (line[at] === QUOTE) {
      const close = closingQuote(line, at);
      if (close < 0) return undefined;
      const end = endOfCell(line, close, delimiter);
      const isClosed = line.slice(close + 1, end).trim() === '';
      cells.push(isClosed ? line.slice(at + 1, close).replaceAll('""', QUOTE) : line.slice(at, end));
      hasLoneQuotes ||= !isClosed;
      at = end;
    } else {
      const end = endOfCell(line, at, delimiter);
      cells.push(line.slice(at, end));
      at = end;
    }
    if (at >= line.length) return { cells, hasLoneQuotes };
  }
}

/** The first quote that is not doubled, behind the one at `open`; -1 where there is none. */
function closingQuote(line: string, open: number): number {
  for (let at = line.indexOf(QUOTE, open + 1); at >= 0; at = line.indexOf(QUOTE, at + 2)) {
    if (line[at + 1] !== QUOTE) return at;
  }
  return -1;
}

function endOfCell(line: string, from: number, delimiter: string): number {
  const end = line.indexOf(delimiter, from);
  return end < 0 ? line.length : end;
}
