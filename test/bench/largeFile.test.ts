import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { repeatTable } from '../../bench/support/largeFile.ts';

describe('repeatTable', () => {
  const text = 'id,text\r\n9,"a, ""b""\nc"\r\n9,é\r\n';

  it('repeats rows with ids of their own, as many as fit in the bytes given', () => {
    const repeated = repeatTable(text, 'id', 60);
    expect(Buffer.byteLength(repeated)).toBeLessThanOrEqual(60);
    const rows = Papa.parse<string[]>(repeated, { skipEmptyLines: true }).data;
    expect(rows.slice(0, 4)).toEqual([
      ['id', 'text'],
      ['1', 'a, "b"\nc'],
      ['2', 'é'],
      ['3', 'a, "b"\nc'],
    ]);
    expect(Buffer.byteLength(repeatTable(text, 'id', 1000))).toBeGreaterThan(980);
  });

  it('refuses a table without rows or without the id column', () => {
    expect(() => repeatTable('id\n', 'id', 10)).toThrow('no rows');
    expect(() => repeatTable(text, 'key', 10)).toThrow('a column key');
  });
});
