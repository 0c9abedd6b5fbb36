/** Requests and their answers: sends, tries again where that is safe, and opens the envelope. */
import type { ErrorCode } from './contract.ts';
import { ConnectionError, RefusedError, SyntheticTablesError, UnexpectedReplyError } from './errors.ts';

/** Sends a request, as the global `fetch` does. Rejects where no answer comes. */
export type Fetch = (request: string, init: RequestInit) => Promise<Response>;

/** Which service is called, and how. */
export interface TransportOptions {
  /** Address of the service, as `https://tables.example.org`, with a path where it has one. TypeError where it is none. */
  url: string;
  /** The key that its operator gave out. TypeError where no header can hold it. */
  key: string;
  /** In place of the global `fetch`. */
  fetch?: Fetch;
  /** How often a request is sent again, where that is safe; 4 where left out. */
  retries?: number;
  /**
   * Milliseconds; a request that would be sent again later than this is given up at once, for a person who waits before
   * a page. No bound where left out.
   */
  patienceMs?: number;
  /** Milliseconds in which an answer has to begin, each time a request is sent; 300,000 where left out. */
  timeoutMs?: number;
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: string | FormData;
  headers?: Record<string, string>;
  /**
   * Whether sending it twice is the same as sending it once: only then it is sent again after its answer was lost. Any
   * request is sent again that the service refused before it did anything, saying when to come back.
   */
  repeatable: boolean;
  /** Whether it makes something: it is named, so that the service does it once however often it comes. */
  named?: boolean;
  signal?: AbortSignal | undefined;
}

/** A large table is read for minutes before its upload is answered. */
const TIMEOUT_MS = 300_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** The service was not reached behind what answered; a repeatable request may have better luck. */
const GATEWAY_FAILURES = [502, 503, 504];
/** Refused before anything was done, where Retry-After says so; 409, while the same request is at work. */
const REFUSED_FOR_NOW = [409, 429, 503];
/** How often the answer to a request is asked for that is still at work: some minutes. */
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
    // Browsers insist that their fetch is called as a function of the window.
    this.#fetch = (request, init) => send(request, init);
    this.#retries = retries;
    this.#patienceMs = patienceMs;
  }

  /** `data` of the answer. Throws RefusedError, ConnectionError, UnexpectedReplyError, or the signal's reason. */
  async data<Data>(call: Call): Promise<Data> {
    const response = await this.send(call);
    // The contract's promise: checking it against schemas would need a dependency.
    return (await readEnvelope(response, call, this.#url)) as Data;
  }

  /** The answer, whose status is 200. Throws as `data` does. */
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

  /** The time is that until an answer begins: what it brings may take longer. */
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

  /** A large result lies elsewhere: the key is not sent there. A browser does not say where, and follows by itself. */
  async #follow(response: Response, call: Call): Promise<Response> {
    if (response.type === 'opaqueredirect') return this.#request(call, 'follow');
    const location = response.status === 302 ? response.headers.get('Location') : null;
    if (location === null) return response;
    const address = new URL(location, this.#url + call.path).href;
    return this.#timed(call.signal, address, { method: call.method });
  }
}

/** The address before every path. Throws TypeError. */
function baseOf(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const refuse = (why: string): never => {
    throw new TypeError(
      `url must be the address of the service, such as https://tables.example.org; found ${JSON.stringify(url)}${why}.`,
    );
  };
  if (!address || !/^https?:$/.test(address.protocol)) {
    // "localhost:8080" is read as an address of the scheme "localhost".
    return refuse(/^[\w.-]+(:\d+)?(\/|$)/.test(url) ? `. Write https:// or http:// before it` : '');
  }
  if (address.username || address.password) return refuse(', with a name or password in it: services take a key alone');
  if (address.search || address.hash) return refuse(', with a query or fragment: leave that out');
  return address.href.replace(/\/+$/, '');
}

/** Without the line break that a file or a shell left at its end. Throws TypeError, which does not say the key. */
function sendableKey(key: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed;
  throw new TypeError('key must have visible ASCII characters alone, with no space or line break inside.');
}

/** `crypto.randomUUID` is not there in pages that come by plain HTTP. */
function withName(call: Call): Call {
  const name = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': name.join('') }, repeatable: true };
}

const isAtWork = (error: SyntheticTablesError): boolean => error.code === 'request_in_progress';

/** Milliseconds to wait before the call is sent again; undefined where that is not safe or of no use. */
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
    // The contract lists the codes; a later version may have more.
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

/** Retry-After as seconds; its other form, a date, is not used by the service. */
const secondsOf = (header: string | null): number | null =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;

/** Faults of the address or of its certificate, in the codes of Node: trying again finds the same. Browsers tell none. */
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

/** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as that is aborted. */
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
