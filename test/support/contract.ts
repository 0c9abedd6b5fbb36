/**
 * The deployment that the contract suite speaks to: the one at BASE_URL with API_KEY where both are set, else the real
 * server, started for the test file. A deployment under test should have no other users: its jobs are counted. Every answer
 * is checked for what all answers have in common.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import {
  failureEnvelope,
  type StatusReply,
  statusReplySchema,
  uploadReplySchema,
} from '../../packages/contract/replies.ts';
import { type LiveServer, startServer } from './liveServer.ts';
import { filePart, MULTIPART, multipart } from './multipart.ts';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** `data` of the envelope; undefined where the answer has none. */
  data: unknown;
  error: { code: string; message: string } | null;
}

export interface Sent {
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** Null sends no key. */
  key?: string | null;
}

const envelopeSchema = z.union([
  z.strictObject({ success: z.literal(true), data: z.record(z.string(), z.unknown()), error: z.null() }),
  failureEnvelope.strict(),
]);

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        responses: z.record(
          z.string(),
          z.object({
            content: z.record(z.string(), z.object({ examples: z.record(z.string(), z.unknown()).optional() })),
          }),
        ),
      }),
    ),
  ),
});

export class Deployment {
  url = '';
  key = '';
  /** The server behind it, where this suite started it. */
  local: LiveServer | undefined;
  readonly #refusals = new Set<string>();

  async send(method: string, path: string, { headers = {}, body, key = this.key }: Sent = {}): Promise<Reply> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...(key !== null && { 'X-API-Key': key }), ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const where = `${method} ${path}: ${answer.status} ${text.slice(0, 500)}`;
    expect(answer.status, where).toBeLessThan(500);
    expect(answer.headers.get('X-Request-Id'), where).toMatch(/^[\w.-]+$/);
    const { data, error } = this.#envelopeOf(answer, text, where);
    if (error) this.#refusals.add(`${method} ${path.split('?')[0]} ${answer.status} ${error.code}`);
    return { status: answer.status, headers: answer.headers, text, data, error };
  }

  /** Refusals that were met and that GET /docs does not give for their route. */
  async undocumented(): Promise<string[]> {
    const { paths } = documentSchema.parse(JSON.parse((await this.send('GET', '/docs')).text));
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content }]) =>
          Object.keys(content['application/json']?.examples ?? {}).map((code) => {
            const address = path.replace(/\{\w+\}/g, '[^/]+');
            return new RegExp(`^${method} ${address} ${status} ${code}$`, 'i');
          }),
        ),
      ),
    );
    // That an address or a method is not there belongs to no route.
    const ofRoutes = [...this.#refusals].filter((met) => !/ (405 method_not_allowed|404 not_found)$/.test(met));
    return ofRoutes.filter((met) => !/^(HEAD|OPTIONS) /.test(met) && !documented.some((pattern) => pattern.test(met)));
  }

  post(path: string, value: unknown, sent: Sent = {}): Promise<Reply> {
    return this.send('POST', path, {
      ...sent,
      body: JSON.stringify(value),
      headers: { 'Content-Type': 'application/json', ...sent.headers },
    });
  }

  upload(content: string | Uint8Array, fileName = 'table.csv'): Promise<Reply> {
    const body = multipart([filePart(content, fileName)]);
    return this.send('POST', '/upload', { body, headers: { 'Content-Type': MULTIPART } });
  }

  /** A file that is no text. */
  async bytes(path: string): Promise<{ type: string | null; name: string | null; body: ArrayBuffer }> {
    const { status, headers, ...answer } = await fetch(this.url + path, { headers: { 'X-API-Key': this.key } }).then(
      async (reply) => ({ status: reply.status, headers: reply.headers, body: await reply.arrayBuffer() }),
    );
    expect(status, path).toBe(200);
    return { ...answer, type: headers.get('Content-Type'), name: headers.get('Content-Disposition') };
  }

  /** Uploads a table and gives the id of its job. */
  async newJob(content: string): Promise<string> {
    const reply = await this.upload(content);
    expect([reply.status, reply.error]).toEqual([200, null]);
    return uploadReplySchema.parse(reply.data).job_id;
  }

  async status(jobId: string): Promise<StatusReply> {
    return statusReplySchema.parse((await this.send('GET', `/status/${jobId}`)).data);
  }

  /** Polls until the job is done or failed. */
  async end(jobId: string): Promise<StatusReply> {
    for (;;) {
      const status = await this.status(jobId);
      if (status.status === 'done' || status.status === 'failed') return status;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** What a bad request must leave as it is: the number of jobs, and the files of a server that is ours to look into. */
  async traces(): Promise<unknown> {
    const health = z.object({ total_jobs: z.int() }).parse((await this.send('GET', '/health')).data);
    return this.local ? { jobs: health.total_jobs, files: this.local.files() } : {};
  }

  #envelopeOf(answer: Response, text: string, where: string): Pick<Reply, 'data' | 'error'> {
    const isJson = answer.headers.get('Content-Type') === 'application/json';
    if (!isJson && answer.status < 400) return { data: undefined, error: null };
    expect(isJson || answer.headers.get('Content-Length') === '0' || text === '', where).toBe(true);
    if (text === '') return { data: undefined, error: null };
    const envelope = envelopeSchema.parse(JSON.parse(text));
    expect(envelope.success, where).toBe(answer.status < 400);
    return envelope;
  }
}

/** For a suite: the deployment, ready before its first test. */
export function useDeployment(): Deployment {
  const deployment = new Deployment();
  beforeAll(async () => {
    const { CONTRACT_BASE_URL: url, CONTRACT_API_KEY: key } = process.env;
    if (url && key) {
      Object.assign(deployment, { url: url.replace(/\/+$/, ''), key });
      return;
    }
    deployment.local = await startServer();
    deployment.url = deployment.local.url;
    deployment.key = deployment.local.key ?? '';
  });
  afterAll(async () => {
    try {
      expect(await deployment.undocumented(), 'refusals that GET /docs does not describe').toEqual([]);
    } finally {
      await deployment.local?.stop();
    }
  });
  return deployment;
}

/** A reply as `[status, code]`, for one expectation. */
export const verdict = ({ status, error }: Reply): [status: number, code: string | null] => [
  status,
  error?.code ?? null,
];
