/** What every handler finds in Hono's context. */
import type { Context } from 'hono';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { KeyRecord } from '../../service/ports.ts';
import type { Service } from '../../service/service.ts';
import type { OpenApiDocument } from '../openapi/openApi.ts';

/** Who is at the other end of the connection, where the application is served on one. */
export interface Peer {
  /** Its address, or that of whom its proxy names. */
  address: string;
  /** Its request carried a valid key. */
  hasShownKey(): void;
}

export interface Bindings {
  peer?: Peer;
}

export interface Env {
  Bindings: Bindings;
  Variables: {
    requestId: string;
    /** The service, its log bound to this request. */
    service: Service;
    body: RequestBody;
    /** The key's id; set with `key` by `authenticate` on every route that needs a key. */
    keyId: string;
    /** What the key may do beside; set with it. */
    rights: KeyRecord['rights'];
    /** The key itself, as it was sent. */
    key: string;
    /** Undefined where the route needs no key, and in a request that another one makes. */
    work: RequestAtWork | undefined;
    /** Path pattern of the route that answered, and the job it was about: for the log. */
    route: string;
    jobId: string;
    document: () => OpenApiDocument;
    /** The application itself, for calls that are made of other calls. */
    application: (request: Request) => Response | Promise<Response>;
    /** The bundle for desktop assistants; undefined where this deployment has none. */
    mcpBundle: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
  };
}

/** A request that is being answered. */
export interface RequestAtWork {
  /** Its answer is sent piece by piece, and ends later than its handler. */
  isStreaming: boolean;
  /** Idempotent. */
  end(): void;
}

export type ApiContext = Context<Env>;

// The bytes of a request, read once, with a limit; what is not wanted can be thrown away without cutting the client off.

/** How much of an unwanted rest is read, and for how long, before the connection is given up. */
const DISCARD_LIMIT = { bytes: 268_435_456, ms: 30_000 } as const;

export class RequestBody {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #ended: boolean;

  constructor(request: Request) {
    this.#request = request;
    this.#ended = isWithoutBody(request);
  }

  /** Nothing is left to read. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * The chunks as they come. Throws `refusal()` as soon as more than `limit` bytes have come or are announced, and
   * `invalid_request` where the client stops before the end. Leaving the loop early leaves the rest unread.
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

  /** Reads the rest and forgets it, within `DISCARD_LIMIT`; then gives the connection up. Never throws. */
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
