import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sniff } from '../../packages/tables/sniff.ts';
import { utf16 } from '../support/bytes.ts';
import { saying } from '../support/problems.ts';

const text = (content: string) => new TextEncoder().encode(content);

describe('sniff', () => {
  it('takes text for CSV whatever of the three extensions its name has', () => {
    expect(sniff(text('a,b\n1,2\n'), 'T.CSV')).toEqual({
      format: 'csv',
      encoding: 'utf-8',
      markBytes: 0,
      byTabs: false,
      warnings: [],
    });
    const { format, warnings } = sniff(text('a\tb\n1\t2\n'), 'export.xls');
    expect(format).toBe('csv');
    expect(warnings).toEqual(['The file name ends in .xls, but its content is text; it was read as CSV.']);
  });

  it('tells the encoding by the byte order mark', () => {
    expect(sniff(text('\ufeffa,b\n'), 'a.csv')).toMatchObject({ encoding: 'utf-8', markBytes: 3 });
    expect(sniff(utf16('a,b\n', 'le'), 'a.csv')).toMatchObject({ encoding: 'utf-16le', markBytes: 2 });
    expect(sniff(utf16('a,b\n', 'be'), 'a.csv')).toMatchObject({ encoding: 'utf-16be', markBytes: 2 });
  });

  it('takes a zip archive and an OLE2 file for a spreadsheet, whatever they are called', () => {
    expect(sniff(text('PK\u0003\u0004...'), 'a.xlsx')).toEqual({ format: 'spreadsheet', warnings: [] });
    const ole2 = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0);
    expect(sniff(ole2, 'a.xls')).toEqual({ format: 'spreadsheet', warnings: [] });
    expect(sniff(ole2, 'a.csv').warnings).toHaveLength(1);
  });

  it.each(['data', 'data.txt', 'data.csv.gz', 'csv', 'data.json', 'data.xlsm', 'data.csv/', ''])(
    'refuses the name %j',
    (name) => {
      expect(() => sniff(text('a,b\n'), name)).toThrow(expect.objectContaining({ code: 'unsupported_file_type' }));
    },
  );

  it.each([
    ['a gzip archive', gzipSync('a,b\n1,2\n')],
    ['a PDF document', text('%PDF-1.7\n')],
    ['a Parquet file', text('PAR1....')],
    ['an HTML page', text('\ufeff \n<!DOCTYPE html><html><table>')],
    ['an HTML page', text('<table border=1><tr><td>1</td></tr></table>')],
    ['a JSON document', text('[\n  {"a": 1, "b": 2}\n]')],
    ['a JSON document', text('{"a": 1}\n{"a": 2}\n')],
    ['an XML document', text('<?xml version="1.0"?><Workbook/>')],
    ['a PNG image', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d)],
    ['a SQLite database', text('SQLite format 3\0')],
  ])('says that the file is %s', (what, bytes) => {
    expect(() => sniff(bytes, 'data.csv')).toThrow(
      expect.objectContaining({ code: 'unsupported_file_type', params: saying(what) }),
    );
  });

  it('refuses a file without bytes', () => {
    expect(() => sniff(new Uint8Array(0), 'a.csv')).toThrow(expect.objectContaining({ code: 'empty_file' }));
  });
});
