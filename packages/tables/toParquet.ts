/** Converts CSV to Parquet: integers as INT64, decimals as DOUBLE, other cells as UTF-8, missing cells as null. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { isMissing } from './missing.ts';
import { type OutputFormat, recordBatches, type TypedColumn } from './records.ts';

export const parquet: OutputFormat = {
  title: 'Parquet',
  contentType: 'application/vnd.apache.parquet',
  cells:
    'whole numbers of the target and of continuous columns as INT64, decimals as DOUBLE; everything else, dates included, as the UTF-8 text of the CSV file; missing cells are null',
  typed: true,
  convert: (csv, { columns }) => toParquet(csv, columns),
};

type Cell = bigint | number | string | null;

/** Maximum of a row group, to bound memory. */
const GROUP_CELLS = 150_000;
const GROUP_LENGTH = 4_000_000;

class DrainedWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

/** Columns are those of `findCellTypes`. Holds one row group at a time. */
export async function* toParquet(
  csv: AsyncIterable<Uint8Array>,
  columns: readonly TypedColumn[],
): AsyncGenerator<Uint8Array> {
  const writer = new DrainedWriter();
  const parquet = new ParquetWriter({ writer, schema: schemaOf(columns) });
  let group: Cell[][] = columns.map(() => []);
  let [isHeader, held, length] = [true, 0, 0];
  const writeGroup = (): Uint8Array => {
    const columnData = columns.map(({ name }, j) => ({ name, data: group[j]! }));
    void parquet.write({ columnData, rowGroupSize: held });
    group = columns.map(() => []);
    [held, length] = [0, 0];
    return writer.take();
  };
  for await (const rows of recordBatches(csv)) {
    if (isHeader) rows.shift();
    isHeader = false;
    for (const cells of rows) {
      columns.forEach((column, j) => {
        const cell = cells[j] ?? '';
        length += cell.length;
        group[j]!.push(typedCell(cell, column));
      });
      held++;
      if (held * columns.length >= GROUP_CELLS || length >= GROUP_LENGTH) yield writeGroup();
    }
  }
  if (held > 0) yield writeGroup();
  void parquet.finish();
  yield writer.take();
}

function typedCell(cell: string, { type }: TypedColumn): Cell {
  if (isMissing(cell)) return null;
  if (type === 'integer') return BigInt(cell);
  return type === 'number' ? Number(cell) : cell;
}

function schemaOf(columns: readonly TypedColumn[]): ConstructorParameters<typeof ParquetWriter>[0]['schema'] {
  const optional = { repetition_type: 'OPTIONAL' as const };
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => {
      if (type === 'integer') return { name, type: 'INT64' as const, ...optional };
      if (type === 'number') return { name, type: 'DOUBLE' as const, ...optional };
      const text = { converted_type: 'UTF8' as const, logical_type: { type: 'STRING' as const } };
      return { name, type: 'BYTE_ARRAY' as const, ...text, ...optional };
    }),
  ];
}
