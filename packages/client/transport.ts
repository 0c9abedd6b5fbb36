import type { ErrorCode } from './contract.ts';
import { ConnectionError, RefusedError, SyntheticTablesError, UnexpectedReplyError } from './errors.ts';

/** Sends a request like the global `fetch`; rejects without a reply. */
export type Fetch = (request: string, init: RequestInit) => Promise<Response>;

/** Address, key and retries. */
export interface TransportOptions {
  /** Address of the service, such as `https://tables.example.org`. TypeError if invalid. */
  url: string;
  /** API key. TypeError if it does not fit a header. */
  key: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** Maximum retries; default 4. */
  retries?: number;
  /** Maximum milliseconds before a retry, for interactive use; unlimited by default. */
  patienceMs?: number;
  /** Milliseconds until a reply must begin; default 300,000. */
  timeoutMs?: number;
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: string | FormData;
  headers?: Record<string, string>;
  /**
   * Whether repeating has no further effect, so that a lost reply permits a retry. A refusal with Retry-After always
   * does.
   */
  repeatable: boolean;
  /** Gets an idempotency key, because it creates something. */
  named?: boolean;
  signal?: AbortSignal | undefined;
}

/** The reply to a large upload takes minutes. */
const TIMEOUT_MS = 300_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** A gateway failed to reach the service. */
const GATEWAY_FAILURES = [502, 503, 504];
/** Nothing was done, if Retry-After is present; 409: the same request is running. */
const REFUSED_FOR_NOW = [409, 429, 503];
/** Maximum polls for a running request: a few minutes. */
const MAX_WAITS = 100;

export class Transport {
  readonly #url: string;
  readonly #key: string;
  readonly #fetch: Fetch;
  readonly #retries: number;
  readonly #patienceMs: number;
  readonly #timeoutMs: number;

  constructor({ url, key, fetch: send = fetch, ...options }: TransportOptions) {
    const { retries = 4, patienceMs = Number.POSITIVE_INFINITY, timeoutMs = TIMEOUT_MS } = options;
    this.#url = baseOf(url);
    this.#key = sendableKey(key);
    this.#timeoutMs = timeoutMs;
    // Browsers require `fetch` to be called as a function of the window.
    this.#fetch = (request, init) => send(request, init);
    this.#retries = retries;
    this.#patienceMs = patienceMs;
  }

  /** Returns `data`. Throws RefusedError, ConnectionError, UnexpectedReplyError, or the signal's reason. */
  async data<Data>(call: Call): Promise<Data> {
    const response = await this.send(call);
    // Not validated, which would need a dependency.
    return (await readEnvelope(response, call, this.#url)) as Data;
  }

  /** Returns a reply with status 200. Throws as `data` does. */
  async send(call: Call): Promise<Response> {
    const named = call.named && this.#retries > 0 ? withName(call) : call;
    for (let attempt = 0, waits = 0; ; ) {
      const outcome = await this.#try(named);
      if (outcome instanceof Response) return outcome;
      const waitMs = attempt < this.#retries ? pauseBefore(outcome, named, attempt) : undefined;
      if (waitMs === undefined || waitMs > this.#patienceMs) throw outcome;
      if (isAtWork(outcome) && waits < MAX_WAITS) waits++;
      else attempt++;
      await pause(waitMs, call.signal);
    }
  }

  async #try(call: Call): Promise<Response | SyntheticTablesError> {
    try {
      const response = await this.#follow(await this.#request(call, 'manual'), call);
      return response.ok ? response : await failureOf(response, call, this.#url);
    } catch (cause) {
      if (call.signal?.aborted) throw call.signal.reason;
      if (cause instanceof SyntheticTablesError) return cause;
      return this.#unanswered(call, cause);
    }
  }

  #unanswered({ method, path, repeatable }: Call, cause: unknown): ConnectionError {
    const why = causeOf(cause);
    const next = repeatable
      ? 'Check the address and that the service is running.'
      : 'It may have been carried out all the same: look at GET /jobs before sending it again.';
    const message = `${method} ${this.#url}${path} got no answer (${why}). ${next}`;
    return new ConnectionError(
      message,
      { reason: repeatable ? 'no_answer' : 'answer_lost', url: this.#url, why },
      { cause },
    );
  }

  #request({ method, path, body, headers, signal }: Call, redirect: 'manual' | 'follow'): Promise<Response> {
    return this.#timed(signal, this.#url + path, {
      method,
      redirect,
      headers: { 'X-API-Key': this.#key, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Limits the time until a reply begins, not its transfer. */
  async #timed(signal: AbortSignal | undefined, address: string, init: RequestInit): Promise<Response> {
    const stop = new AbortController();
    const late = new Error(`no answer within ${this.#timeoutMs / 1000} s`);
    const timer = setTimeout(() => stop.abort(late), this.#timeoutMs);
    try {
      return await this.#fetch(address, {
        ...init,
        signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fetches a large result elsewhere without sending the key. Browsers hide the location and follow by themselves. */
  async #follow(response: Response, call: Call): Promise<Response> {
    if (response.type === 'opaqueredirect') return this.#request(call, 'follow');
    const location = response.status === 302 ? response.headers.get('Location') : null;
    if (location === null) return response;
    const address = new URL(location, this.#url + call.path).href;
    return this.#timed(call.signal, address, { method: call.method });
  }
}

function baseOf(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const refuse = (why: string): never => {
    throw new TypeError(
      `url must be the address of the service, such as https://tables.example.org; found ${JSON.stringify(url)}${why}.`,
    );
  };
  if (!address || !/^https?:$/.test(address.protocol)) {
    // "localhost:8080" parses as scheme "localhost".
    return refuse(/^[\w.-]+(:\d+)?(\/|$)/.test(url) ? `. Write https:// or http:// before it` : '');
  }
  if (address.username || address.password) return refuse(', with a name or password in it: services take a key alone');
  if (address.search || address.hash) return refuse(', with a query or fragment: leave that out');
  return address.href.replace(/\/+$/, '');
}

/** Removes a trailing line break. The TypeError does not reveal the key. */
function sendableKey(key: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed;
  throw new TypeError('key must have visible ASCII characters alone, with no space or line break inside.');
}

/** `crypto.randomUUID` is unavailable in pages over HTTP. */
function withName(call: Call): Call {
  const name = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': name.join('') }, repeatable: true };
}

const isAtWork = (error: SyntheticTablesError): boolean => error.code === 'request_in_progress';

/** @returns undefined if a retry is unsafe or futile. */
function pauseBefore(error: SyntheticTablesError, call: Call, attempt: number): number | undefined {
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  if (error instanceof RefusedError && REFUSED_FOR_NOW.includes(error.status) && error.retryAfter !== null) {
    return Math.min(LONGEST_PAUSE_MS, error.retryAfter * 1000);
  }
  const isPassing =
    (error instanceof ConnectionError && !LASTING.test(codeOf(error.cause))) ||
    ((error instanceof RefusedError || error instanceof UnexpectedReplyError) &&
      GATEWAY_FAILURES.includes(error.status));
  return call.repeatable && isPassing ? backoff : undefined;
}

async function readEnvelope(response: Response, call: Call, url: string): Promise<unknown> {
  const value = parse(await response.text());
  if (isObject(value) && value.success === true && 'data' in value) return value.data;
  throw unexpected(call, url, response.status);
}

async function failureOf(response: Response, call: Call, url: string): Promise<SyntheticTablesError> {
  const value = parse(await response.text());
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') {
    return unexpected(call, url, response.status);
  }
  const { message, field, params } = error;
  const problem = {
    // A later version may have further codes.
    code: error.code as ErrorCode,
    message,
    ...(typeof field === 'string' && { field }),
    params: isObject(params) && typeof params.reason === 'string' ? { ...params, reason: params.reason } : NO_PARAMS,
  };
  return new RefusedError(problem, {
    status: response.status,
    requestId: response.headers.get('X-Request-Id'),
    retryAfter: secondsOf(response.headers.get('Retry-After')),
  });
}

const NO_PARAMS = { reason: 'unknown' };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const unexpected = ({ method, path }: Call, url: string, status: number) =>
  new UnexpectedReplyError(
    `${method} ${url}${path} was answered with status ${status} by something that is not this service. Check the address.`,
    { reason: 'not_this_service', url, status },
    status,
  );

/** The service does not send dates. */
const secondsOf = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;

/** Codes of Node; browsers reveal none. */
const LASTING =
  /^(ENOTFOUND|EPROTO|CERT_.*|.*_CERT|.*_CERT_.*|ERR_TLS_.*|ERR_SSL_.*|UND_ERR_INVALID_ARG|ERR_INVALID_.*)$/;

const innermost = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;

function codeOf(cause: unknown): string {
  const inner = innermost(cause);
  return typeof inner === 'object' && inner !== null && 'code' in inner ? String(inner.code) : '';
}

function causeOf(cause: unknown): string {
  const inner = innermost(cause);
  if (!(inner instanceof Error)) return String(inner);
  return inner.message || ('code' in inner ? String(inner.code) : inner.name);
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
