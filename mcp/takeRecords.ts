/** Some records of a CSV stream: reads no further than to the last one that is wanted. */
import Papa from 'papaparse';
import { cutRecords } from '../domain/table/cutRecords.ts';

export interface Records {
  columns: string[];
  rows: string[][];
  /** Whether there are records behind these. */
  more: boolean;
}

/** Of a file as the service writes it: a header line, `"` around cells with commas, quotes or line breaks. */
export async function takeRecords(body: AsyncIterable<Uint8Array>, offset: number, limit: number): Promise<Records> {
  const wanted = 1 + offset + limit;
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let [rest, records] = ['', 0];
  for await (const bytes of body) {
    const cut = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = cut.rest;
    for (const record of cut.records) {
      if (records === 0 || (records > offset && records < wanted)) kept.push(record);
      records++;
    }
    if (records > wanted) break;
  }
  if (rest !== '' && records < wanted) kept.push(rest);
  const [columns = [], ...rows] = Papa.parse<string[]>(kept.join(''), { delimiter: ',' }).data;
  return { columns, rows: rows.slice(0, Math.min(limit, kept.length - 1)), more: records > wanted };
}
