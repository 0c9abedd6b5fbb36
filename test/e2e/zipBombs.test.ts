import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SEED_WORKBOOKS } from '../../bench/fuzz/seeds.ts';
import { type ZipPart, zipOf } from '../../bench/fuzz/zip.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';

let server: LiveServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function upload(bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'table.xlsx');
  const headers = { 'X-API-Key': server.key ?? '' };
  const reply = await fetch(`${server.url}/upload`, { method: 'POST', headers, body: form });
  const { error } = failure.parse(await reply.json());
  return `${reply.status} ${error.code}: ${error.message}`;
}

async function health(): Promise<number> {
  const reply = await fetch(`${server.url}/health`, { headers: { 'X-API-Key': server.key ?? '' } });
  await reply.arrayBuffer();
  return reply.status;
}

/** The workbook with its first sheet replaced. */
const withSheet = (sheet: Omit<ZipPart, 'name'>): Uint8Array =>
  zipOf(
    SEED_WORKBOOKS[0]!.map((part) => (/sheet1\.xml$/.test(part.name) ? { name: part.name, ...sheet } : part)),
    9,
  );

describe('zip bombs called .xlsx', () => {
  const zeros = new Uint8Array(40 * 2 ** 20);

  it('are as small as they are said to be', () => {
    expect(deflateRawSync(zeros).length).toBeLessThan(42_000);
  });

  it('are refused, and other requests are answered all the while', async () => {
    const bombs = [
      { bytes: zeros, declaredBytes: 2 ** 32 - 2 },
      { bytes: zeros },
      { bytes: zeros, declaredBytes: 1000 },
      { bytes: new TextEncoder().encode(`<worksheet><sheetData><row>${'<c/>'.repeat(5_000_001)}</row></sheetData>`) },
    ];
    let isDone = false;
    const answers = Promise.all(bombs.map((bomb) => upload(withSheet(bomb)))).finally(() => {
      isDone = true;
    });
    const statuses = [];
    while (!isDone) statuses.push(await health());
    expect(await answers).toEqual([
      expect.stringMatching(/^400 parse_error: .*more than 256 MB/),
      expect.stringMatching(/^400 parse_error: .*times its size/),
      expect.stringMatching(/^400 parse_error: .*damaged or incomplete/),
      expect.stringMatching(/^400 parse_error: .*(times its size|more cells than can be read)/),
    ]);
    expect(statuses.length).toBeGreaterThan(bombs.length);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await health()).toBe(200);
  });
});
