import { isMissing } from './missing.ts';
import type { Dialect } from './profile/profile.ts';
import { readCsv } from './readCsv.ts';
import { readSpreadsheet } from './readSpreadsheet.ts';
import { markBytesOf, peek } from './sniff.ts';
import { type CellColumn, type CellTable, MISSING, type RowSink } from './table.ts';
import { TextDictionary } from './textDictionary.ts';

/**
 * Reads a whole upload as dictionary-encoded text.
 * @throws ServiceError The upload errors.
 */
export async function readTable(bytes: AsyncIterable<Uint8Array>, dialect: Dialect): Promise<CellTable> {
  const sink = new TableSink();
  if (dialect.format === 'spreadsheet') {
    await readSpreadsheet(bytes, { sheet: dialect.sheet }, sink);
    return sink.table();
  }
  const { head, all } = await peek(bytes, 3);
  const { encoding, delimiter, skip_lines: skipLines = 0 } = dialect;
  await readCsv(all, { encoding, layout: { delimiter, skipLines }, markBytes: markBytesOf(head, encoding) }, sink);
  return sink.table();
}

class TableSink implements RowSink {
  private columns: ColumnSink[] = [];
  private rows = 0;

  header(names: string[]): void {
    this.columns = names.map((name) => new ColumnSink(name));
  }

  row(cells: string[]): void {
    for (let i = 0; i < this.columns.length; i++) this.columns[i]!.add(cells[i]!, this.rows);
    this.rows++;
  }

  table(): CellTable {
    return { rows: this.rows, columns: this.columns.map((column) => column.column(this.rows)) };
  }
}

class ColumnSink {
  private readonly name: string;
  private readonly dictionary = new TextDictionary();
  private codes = new Int32Array(16);

  constructor(name: string) {
    this.name = name;
  }

  add(cell: string, row: number): void {
    if (row === this.codes.length) {
      const codes = new Int32Array(2 * row);
      codes.set(this.codes);
      this.codes = codes;
    }
    this.codes[row] = isMissing(cell) ? MISSING : this.dictionary.encode(cell);
  }

  column(rows: number): CellColumn {
    return { name: this.name, codes: this.codes.slice(0, rows), levels: this.dictionary.texts };
  }
}
