import { describe, expect, it } from 'vitest';
import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { filePart, MULTIPART, multipart, type Part } from '../support/multipart.ts';
import { housesCsv, ODD_NAMES, oddNamesCsv } from '../support/tables.ts';

const service = useDeployment();

const send = (body: Uint8Array<ArrayBuffer>, contentType = MULTIPART) =>
  service.send('POST', '/upload', { body, headers: { 'Content-Type': contentType } });

describe('POST /upload', () => {
  it('describes the table: columns in order, their types, rows, warnings, and a profile of each', async () => {
    const reply = await service.upload(housesCsv(60));
    expect(reply.status).toBe(200);
    const data = uploadReplySchema.parse(reply.data);
    expect(data.columns).toEqual(['price', 'area', 'rooms', 'city', 'note']);
    expect(data.col_types).toMatchObject({
      price: 'continuous',
      area: 'continuous',
      city: 'categorical',
      note: 'text',
    });
    expect(data.n_rows).toBe(60);
    expect(data.warnings.filter((warning) => warning.includes('area') && /\b6\b/.test(warning))).toHaveLength(1);
    expect(data.profile.columns.map(({ name, missing }) => [name, missing])).toEqual(
      data.columns.map((name) => [name, name === 'area' ? 6 : 0]),
    );
    expect(data.profile.columns.find(({ name }) => name === 'city')).toMatchObject({ distinct: 3 });
    const rows = housesCsv(60).split('\n').slice(1, 9);
    expect(data.preview?.map((cells) => cells.map((cell) => cell ?? '').join(','))).toEqual(rows);
    expect(data.preview?.[4]?.[1]).toBeNull();
    expect(data.suggested_target).toEqual({ column: 'price', reason: expect.any(String) });
    const again = await service.send('GET', `/jobs/${data.job_id}/columns`);
    expect(again.data).toEqual(reply.data);
  });

  it('gives every upload a job of its own', async () => {
    expect(await service.newJob(housesCsv())).not.toBe(await service.newJob(housesCsv()));
  });

  it('keeps column names as they are, even those that programs trip over', async () => {
    const reply = await service.upload(oddNamesCsv());
    const named = [...ODD_NAMES.slice(0, -1), 'column_8'];
    const { columns } = uploadReplySchema.parse(reply.data);
    expect(columns).toEqual(named);
    // Zod drops a key of this name, so the text itself is read.
    expect(reply.text).toMatch(/"__proto__":"categorical"/);
    expect(Object.keys(JSON.parse(reply.text).data.col_types)).toEqual(named);
  });

  it('takes further fields, ignores them and says so', async () => {
    const field: Part = { name: 'comment', content: 'hello' };
    const reply = await send(multipart([field, filePart(housesCsv()), field]));
    expect(reply.status).toBe(200);
    expect(uploadReplySchema.parse(reply.data).warnings.join()).toContain('"comment"');
  });

  it.each([
    ['../../../etc/passwd.csv'],
    ['C:\\tables\\t.csv'],
    ['.csv'],
    ['__proto__.csv'],
    ['🦒 "giraffe, 1".csv'.replaceAll('"', '%22')],
    [`${'n'.repeat(5000)}.csv`],
  ])('takes %s as a file name, wherever it points', async (fileName) => {
    expect((await service.upload(housesCsv(), fileName)).status).toBe(200);
  });

  const csv = housesCsv(5);
  /** A ZIP archive by its first bytes, as every .xlsx is, and nothing that could be read after them. */
  const binary = new Uint8Array(3000).map((_, i) => [80, 75, 3, 4][i] ?? (i * 31 + 128) % 256);

  it.each<[title: string, body: () => Uint8Array<ArrayBuffer>, status: number, code: string]>([
    ['no part', () => multipart([]), 400, 'missing_file'],
    ['no file', () => multipart([{ name: 'file', content: csv }]), 400, 'missing_file'],
    ['an empty file name', () => multipart([filePart(csv, '')]), 400, 'missing_file'],
    ['the file in another part', () => multipart([filePart(csv, 't.csv', 'table')]), 400, 'missing_file'],
    ['two files', () => multipart([filePart(csv), filePart(csv)]), 400, 'invalid_request'],
    ['no closing boundary', () => multipart([filePart(csv)], ''), 400, 'invalid_request'],
    ['another type of file', () => multipart([filePart('%PDF-1.7', 't.pdf')]), 400, 'unsupported_file_type'],
    ['a file without an extension', () => multipart([filePart(csv, 'table')]), 400, 'unsupported_file_type'],
    ['a file of no bytes', () => multipart([filePart('')]), 400, 'empty_file'],
    ['a header alone', () => multipart([filePart('a,b\n')]), 400, 'no_data_rows'],
    [
      'bytes that are no text',
      () => multipart([filePart(Buffer.from('a,b\n1,\xff\xfe\x80\n', 'latin1'))]),
      400,
      'encoding_error',
    ],
    ['a broken spreadsheet', () => multipart([filePart(binary, 't.xlsx')]), 400, 'parse_error'],
    ['a row with too many cells', () => multipart([filePart('a,b\n1,2\n1,2,3,4,5\n')]), 400, 'parse_error'],
  ])('refuses %s and keeps nothing', async (_title, body, status, code) => {
    const before = await service.traces();
    const reply = await send(body());
    expect(verdict(reply)).toEqual([status, code]);
    expect(await service.traces()).toEqual(before);
  });

  it('reads a file in the encoding that a field gives, before the file or behind it, and names it where it does not', async () => {
    const bytes = Buffer.from('name,city\nHélène,Besançon\nRené,Orléans\n', 'latin1');
    const refused = await send(multipart([filePart(bytes)]));
    expect(verdict(refused)).toEqual([400, 'encoding_error']);
    expect(refused.error?.message).toMatch(
      /probably Windows-1252 .* Send the form field encoding=windows-1252 with the file/,
    );
    const field = (content: string): Part => ({ name: 'encoding', content });
    for (const parts of [
      [field('windows-1252'), filePart(bytes)],
      [filePart(bytes, 't.TSV'), field('Latin1')],
    ]) {
      const data = uploadReplySchema.parse((await send(multipart(parts))).data);
      expect(data.preview?.[0]).toEqual(['Hélène', 'Besançon']);
      expect(data.warnings).toEqual([]);
    }
    const before = await service.traces();
    const unknown = await send(multipart([filePart(bytes), field('klingon')]));
    expect(verdict(unknown)).toEqual([400, 'invalid_parameter']);
    expect(unknown.error?.message).toMatch(/^encoding must be one of utf-8, .*; found "klingon"/);
    expect(await service.traces()).toEqual(before);
  });

  it.each([
    ['no body', undefined, undefined, 'missing_file'],
    ['JSON', '{"file": "a,b"}', 'application/json', 'missing_file'],
    ['the table itself', csv, 'text/csv', 'missing_file'],
    ['a form in another encoding', 'file=a', 'application/x-www-form-urlencoded', 'missing_file'],
    ['multipart without a boundary', 'file=a', 'multipart/form-data', 'invalid_request'],
  ])('refuses %s', async (_title, body, contentType, code) => {
    const reply = await service.send('POST', '/upload', {
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { headers: { 'Content-Type': contentType } }),
    });
    expect(verdict(reply)).toEqual([400, code]);
  });

  it('refuses a file over 50 MB, naming the limit, and keeps nothing', async () => {
    const before = await service.traces();
    const row = `${'1234567,'.repeat(100)}1\n`;
    const reply = await service.upload(`${row}${row.repeat(Math.ceil(52_428_800 / row.length))}`);
    expect(verdict(reply)).toEqual([413, 'file_too_large']);
    expect(reply.error?.message).toContain('50 MB');
    expect(await service.traces()).toEqual(before);
  });
});
