import type { Context } from 'hono';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { KeyRecord } from '../../service/ports.ts';
import type { Service } from '../../service/service.ts';
import type { OpenApiDocument } from '../openapi/openApi.ts';

export interface Peer {
  /** Named by a trusted proxy, if any. */
  address: string;
  hasShownKey(): void;
}

export interface Bindings {
  peer?: Peer;
}

export interface Env {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    service: Service;
    body: RequestBody;
    keyId: string;
    rights: KeyRecord['rights'];
    key: string;
    /** Undefined on public routes, and in requests that another request makes. */
    work: RequestAtWork | undefined;
    route: string;
    jobId: string;
    document: () => OpenApiDocument;
    application: (request: Request) => Response | Promise<Response>;
    mcpBundle: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
  };
}

export interface RequestAtWork {
  /** The answer ends later than its handler. */
  isStreaming: boolean;
  /** Idempotent. */
  end(): void;
}

export type ApiContext = Context<Env>;

/** Reads this much of an unwanted body before closing the connection. */
const DISCARD_LIMIT = { bytes: 268_435_456, ms: 30_000 } as const;

export class RequestBody {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #ended: boolean;

  constructor(request: Request) {
    this.#request = request;
    this.#ended = isWithoutBody(request);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Yields chunks. Throws `refusal()` beyond `limit` bytes, received or announced, and `invalid_request` if the client
   * breaks off. Leaving the loop leaves the rest unread.
   */
  async *chunks(limit: number, refusal: () => ServiceError): AsyncGenerator<Uint8Array> {
    if (Number(this.#request.headers.get('content-length') ?? 0) > limit) throw refusal();
    let total = 0;
    for (;;) {
      const chunk = await this.#read();
      if (!chunk) return;
      total += chunk.byteLength;
      if (total > limit) throw refusal();
      yield chunk;
    }
  }

  /** Never throws. */
  async discardRest(): Promise<void> {
    const timer = setTimeout(() => void this.#giveUp(), DISCARD_LIMIT.ms);
    try {
      for (let total = 0; total <= DISCARD_LIMIT.bytes; ) {
        const chunk = await this.#read();
        if (!chunk) return;
        total += chunk.byteLength;
      }
      await this.#giveUp();
    } catch {
      this.#ended = true;
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    this.#reader ??= this.#request.body?.getReader();
    try {
      const next = await this.#reader?.read();
      if (next?.value) return next.value;
    } catch (cause) {
      throw new ServiceError({ reason: 'body_broken_off' }, { cause });
    }
    this.#ended = true;
    return undefined;
  }

  async #giveUp(): Promise<void> {
    await this.#reader?.cancel().catch(() => undefined);
    this.#ended = true;
  }
}

function isWithoutBody(request: Request): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const length = request.headers.get('content-length');
  return length === null ? request.body === null : Number(length) === 0;
}
