/** Writes a table as CSV (RFC 4180, lines end in LF), piece by piece. */
import { type CellColumn, type CellTable, MISSING } from './table.ts';

/** Characters after which a piece is given. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Cells that are quoted: those with a quote, a line break or a delimiter. Of delimiters all that people use, so that a
 * reader that guesses is not misled.
 */
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** The text of the file. `missing` has the text of missing cells by column name; '' where a name is not there. */
export function* writeCsv(table: CellTable, missing: ReadonlyMap<string, string> = new Map()): Generator<string> {
  // A line with nothing on it is no row to any reader, so a lone empty cell is quoted.
  const lone = table.columns.length === 1;
  const quote = (text: string): string => (text === '' && lone ? '""' : quoteCell(text));
  const columns = table.columns.map((column) => cellWriter(column, quote, missing.get(column.name) ?? ''));
  let piece = `${table.columns.map(({ name }) => quote(name)).join(',')}\n`;
  for (let row = 0; row < table.rows; row++) {
    for (let i = 0; i < columns.length; i++) piece += (i > 0 ? ',' : '') + columns[i]!(row);
    piece += '\n';
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

function cellWriter(column: CellColumn, quote: (text: string) => string, missing: string): (row: number) => string {
  const { codes } = column;
  const levels = column.levels.map(quote);
  const gap = quote(missing);
  return (row) => {
    const code = codes[row] ?? MISSING;
    return code === MISSING ? gap : (levels[code] ?? gap);
  };
}

const quoteCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
