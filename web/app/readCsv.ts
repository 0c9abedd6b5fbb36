/** A CSV file as columns of cells, as much of it as pictures need. */
import Papa from 'papaparse';

export interface Sheet {
  header: string[];
  /** Rows of cells as written; short rows are filled with ''. */
  rows: string[][];
  /** The file has more rows than were read. */
  isCut: boolean;
}

const MOST_ROWS = 20_000;
const MOST_BYTES = 20_000_000;

export async function readCsv(file: Blob): Promise<Sheet> {
  const text = await file.slice(0, MOST_BYTES).text();
  const { data } = Papa.parse<string[]>(text, { preview: MOST_ROWS + 1, skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  // The last row of a piece may be half of one.
  const isCut = file.size > MOST_BYTES || rows.length === MOST_ROWS;
  const whole = file.size > MOST_BYTES ? rows.slice(0, -1) : rows;
  const width = header.length;
  const filled = whole.map((row) =>
    row.length < width ? [...row, ...new Array<string>(width - row.length).fill('')] : row,
  );
  return { header: header.map((name) => name.trim()), rows: filled, isCut };
}

/** Cells of a column by its name; undefined where the file has none of this name. */
export function cellsOf({ header, rows }: Sheet, name: string): string[] | undefined {
  const at = header.indexOf(name);
  return at < 0 ? undefined : rows.map((row) => row[at] ?? '');
}
