/** The one job of a kill trial, spoken to over HTTP by a client that is used to being cut off. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { housesCsv } from './tables.ts';

/** Rows that each job makes. */
export const ROWS = 4_000;

const TABLE = housesCsv(60);
const REQUEST = {
  target_col: 'price',
  continuous_cols: ['area'],
  categorical_cols: ['city'],
  n_samples: ROWS,
  draws: 200,
  tune: 200,
  seed: 7,
};
const uploadedSchema = z.object({ data: z.object({ job_id: z.string() }) });
const statusSchema = z.object({ data: z.object({ status: z.string() }) });

export class KillTarget {
  url: string;
  /** Once the server has answered for it. */
  jobId: string | undefined;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  async upload(): Promise<void> {
    const body = new FormData();
    body.set('file', new Blob([TABLE]), 'houses.csv');
    const answer = await this.#send('POST', '/upload', body);
    this.jobId = uploadedSchema.parse(JSON.parse(answer?.text ?? '')).data.job_id;
  }

  /** Sends a file piece by piece; the answer, if one comes, is not waited for. */
  async uploadSlowly(): Promise<void> {
    const body = ReadableStream.from(slowMultipart());
    const headers = { 'X-API-Key': this.#key, 'Content-Type': 'multipart/form-data; boundary=b' };
    const answer = await fetch(`${this.url}/upload`, { method: 'POST', headers, body, duplex: 'half' }).catch(
      () => undefined,
    );
    await answer?.text().catch(() => '');
  }

  /** The status of the answer; undefined where the connection was cut. */
  async generate(): Promise<number | undefined> {
    return (await this.#send('POST', '/generate', JSON.stringify({ job_id: this.jobId, ...REQUEST })))?.status;
  }

  async isOver(): Promise<boolean> {
    const answer = await this.#send('GET', `/status/${this.jobId}`);
    return answer !== undefined && ['done', 'failed'].includes(statusSchema.parse(JSON.parse(answer.text)).data.status);
  }

  async download(): Promise<{ status: number; text: string }> {
    return (await this.#send('GET', `/download/${this.jobId}`)) ?? { status: 0, text: '' };
  }

  /** Undefined where the connection was cut. */
  async #send(
    method: string,
    path: string,
    body?: string | FormData,
  ): Promise<{ status: number; text: string } | undefined> {
    const headers = { 'X-API-Key': this.#key, ...(typeof body === 'string' && { 'Content-Type': 'application/json' }) };
    try {
      const answer = await fetch(this.url + path, { method, headers, ...(body !== undefined && { body }) });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return undefined;
    }
  }
}

async function* slowMultipart(): AsyncGenerator<Uint8Array> {
  const encode = (text: string) => new TextEncoder().encode(text);
  yield encode('--b\r\nContent-Disposition: form-data; name="file"; filename="houses.csv"\r\n\r\n');
  for (let i = 0; i < TABLE.length; i += 500) {
    yield encode(TABLE.slice(i, i + 500));
    await sleep(10);
  }
  yield encode('\r\n--b--\r\n');
}
