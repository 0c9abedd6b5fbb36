/** The records of a CSV file as the service writes it (UTF-8, a header line, commas), some at a time. */
import Papa from 'papaparse';
import { cutRecords } from './cutRecords.ts';

/** The header comes first, in a batch with the records behind it. Holds no more than a piece of the file at a time. */
export async function* recordBatches(csv: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of csv) {
    const { records, rest: behind } = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = behind;
    if (records.length > 0) yield parse(records.join(''));
  }
  if (rest !== '') yield parse(rest);
}

/** Without the last line end, behind which a parser would see one row more. */
const parse = (text: string): string[][] => Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',' }).data;
