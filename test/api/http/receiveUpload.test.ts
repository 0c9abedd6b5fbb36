import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestBody } from '../../../api/http/context.ts';
import { receiveUpload } from '../../../api/routes/upload.ts';
import { BOUNDARY, filePart, MULTIPART, multipart, type Part } from '../../support/multipart.ts';
import { saying } from '../../support/problems.ts';

const LIMIT = 1000;

/** A request whose body comes in the given chunks. */
function bodyOf(chunks: readonly Uint8Array[]): RequestBody {
  const request = new Request('http://service/upload', {
    method: 'POST',
    body: ReadableStream.from(chunks),
    duplex: 'half',
  });
  return new RequestBody(request);
}

async function receive(chunks: readonly Uint8Array[], contentType = MULTIPART) {
  const { name, bytes, ignoredParts } = await receiveUpload(bodyOf(chunks), contentType, LIMIT);
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return { name, content: Buffer.concat(parts), ignoredParts };
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const edges = [0, ...at.map((position) => position % bytes.length).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}

const cuts = fc.array(fc.nat(5000), { maxLength: 40 });

describe('receiveUpload', () => {
  it('gives the file byte for byte, however the body is cut into chunks', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 900 }),
      fc
        .constantFrom('\r\n', `\r\n--${BOUNDARY.slice(0, -1)}`, '--', `\n--${BOUNDARY}--`, '\r\n\r\n--')
        .map(Buffer.from),
    );
    await fc.assert(
      fc.asyncProperty(content, cuts, async (bytes, at) => {
        const field: Part = { name: 'note', content: 'x' };
        const received = await receive(cut(multipart([field, filePart(bytes), field]), at));
        expect(received.content.equals(bytes)).toBe(true);
        expect(received).toMatchObject({ name: 'table.csv', ignoredParts: ['note', 'note'] });
      }),
      { numRuns: 300 },
    );
  });

  it('refuses a body that breaks off anywhere, and never hangs', async () => {
    const whole = multipart([{ name: 'note', content: 'x' }, filePart('a,b\n1,2\n')]);
    // The two bytes after the closing boundary may be missing: nothing is lost with them.
    for (let length = 1; length < whole.length - 2; length++) {
      const error = await receive([whole.subarray(0, length)]).catch((thrown: unknown) => thrown);
      expect(error, `cut after ${length} bytes`).toMatchObject({ code: 'invalid_request' });
    }
  });

  it.each<[title: string, parts: Part[], code: string, said: string]>([
    ['no part', [], 'missing_file', 'no part'],
    ['only a field', [{ name: 'note', content: 'x' }], 'missing_file', '"note"'],
    ['a field named file', [{ name: 'file', content: 'a,b' }], 'missing_file', 'no file name'],
    ['an empty file name', [filePart('a,b', '')], 'missing_file', 'empty file name'],
    ['a file in another part', [filePart('a,b', 't.csv', 'upload')], 'missing_file', '"upload"'],
    ['two files', [filePart('a,b'), filePart('c,d')], 'invalid_request', 'more than one file'],
    [
      'more than the limit and its envelope',
      [filePart('x'.repeat(LIMIT + 1_100_000))],
      'file_too_large',
      '1,000 bytes',
    ],
  ])('refuses %s', async (_title, parts, code, said) => {
    const error = await receive([multipart(parts)]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, params: saying(said) });
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'invalid_request'],
    ['another boundary', 'multipart/form-data; boundary=other', 'invalid_request'],
    ['JSON', 'application/json', 'missing_file'],
    ['no content type', '', 'missing_file'],
  ])('refuses a content type with %s', async (_title, contentType, code) => {
    const error = await receive([multipart([filePart('a,b')])], contentType).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
  });

  it.each([
    ['../../etc/passwd.csv', 'passwd.csv'],
    ['C:\\Users\\me\\table.csv', 'table.csv'],
    ['/absolute/t.xlsx', 't.xlsx'],
    ['täble 🦒.csv', 'täble 🦒.csv'],
    ['a,b;c.csv', 'a,b;c.csv'],
    [`${'x'.repeat(400)}.csv`, `${'x'.repeat(251)}.csv`],
    ['bell\u0007.csv', 'bell.csv'],
  ])('takes %j as the name %j', async (sent, kept) => {
    expect((await receive([multipart([filePart('a,b', sent)])])).name).toBe(kept);
  });
});
