import { type Handler, Hono, type MiddlewareHandler, type Next } from 'hono';
import { ServiceError } from '../packages/contract/errors.ts';
import { describeFault } from '../service/job/failures.ts';
import type { Log } from '../service/ports.ts';
import type { Service } from '../service/service.ts';
import { boundRequests, REQUESTS_PER_KEY } from './http/atWork.ts';
import { compressed } from './http/compressed.ts';
import { type ApiContext, type Env, RequestBody } from './http/context.ts';
import { failed, headersOf, statusOf } from './http/refused.ts';
import type { Access, Route } from './http/route.ts';
import { WrongKeys } from './http/wrongKeys.ts';
import { describeRoutes } from './openapi/document.ts';
import type { OpenApiDocument } from './openapi/openApi.ts';
import { ROUTE_GROUPS } from './routes.ts';

const authenticate =
  (wrongKeys: WrongKeys): MiddlewareHandler<Env> =>
  (c, next) =>
    admit(c, wrongKeys, c.req.header('X-API-Key'), next);

/** Assistants often only support bearer tokens. */
const authenticateBearer =
  (wrongKeys: WrongKeys): MiddlewareHandler<Env> =>
  (c, next) =>
    admit(c, wrongKeys, c.req.header('X-API-Key') ?? bearerOf(c.req.header('Authorization')), next);

const bearerOf = (header: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

async function admit(c: ApiContext, wrongKeys: WrongKeys, key: string | undefined, next: Next): Promise<void> {
  if (!key) throw new ServiceError({ reason: 'api_key_missing' });
  const { keys, clock } = c.get('service');
  const record = await keys.verify(key);
  const peer = c.env?.peer;
  if (!record) {
    if (peer) wrongKeys.count(peer.address, clock.now().getTime());
    throw new ServiceError({ reason: 'api_key_unknown' });
  }
  peer?.hasShownKey();
  c.set('keyId', record.id);
  c.set('rights', record.rights);
  c.set('key', key);
  await next();
}

interface ApiOptions {
  /** '*' for all. */
  corsOrigins: readonly string[];
  requestsPerKey?: number;
  mcpBundle?: () => Promise<Uint8Array<ArrayBuffer>>;
}

export const ROUTES: readonly Route[] = Object.values(ROUTE_GROUPS).flat();

/** `inner` are requests of the application to itself. */
function guardsOf(options: ApiOptions, inner: WeakSet<Request>): Record<Access, MiddlewareHandler<Env>[]> {
  const bound = boundRequests(options.requestsPerKey ?? REQUESTS_PER_KEY, (request) => inner.has(request));
  const wrongKeys = new WrongKeys();
  return {
    key: [authenticate(wrongKeys), bound],
    'key or bearer': [refuseForeignOrigins(options.corsOrigins), authenticateBearer(wrongKeys), bound],
    public: [],
  };
}

export function createApp(service: Service, options: ApiOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(requestId(service), logRequest, safeHeaders, cors(options.corsOrigins), answerFirst, compressed);
  app.use(withDocument(service));
  const inner = new WeakSet<Request>();
  app.use((c, next) => {
    c.set('application', (request) => {
      inner.add(request);
      return app.fetch(request);
    });
    c.set('mcpBundle', options.mcpBundle);
    return next();
  });
  const guards = guardsOf(options, inner);
  for (const route of ROUTES) {
    app.on(route.method, route.pattern ?? route.path, named(route.path), ...guards[route.access], (c) =>
      route.handle(c),
    );
  }
  for (const path of new Set(ROUTES.map(pathOf))) {
    const same = ROUTES.filter((route) => pathOf(route) === path);
    const own = same.every((route) => route.access === 'key') ? guards.key : [];
    app.all(path, named(same[0]?.path ?? path), ...own, refuseMethod(same));
  }
  app.notFound((c) => toResponse(new ServiceError({ reason: 'route_unknown' }), c));
  app.onError((error, c) => toResponse(error, c));
  return app;
}

const pathOf = ({ pattern, path }: Route): string => pattern ?? path;

const named =
  (path: string): MiddlewareHandler<Env> =>
  (c, next) => {
    c.set('route', path);
    return next();
  };

function refuseMethod(routes: readonly Route[]): Handler<Env> {
  const allowed = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  return (c) => {
    const method = c.req.method.slice(0, 16);
    throw new ServiceError({ reason: 'method_not_allowed', method, allowed });
  };
}

function withDocument(service: Service): MiddlewareHandler<Env> {
  let document: OpenApiDocument | undefined;
  const describeOnce = () => {
    document ??= describeRoutes(ROUTES, service.settings.version);
    return document;
  };
  return (c, next) => {
    c.set('document', describeOnce);
    return next();
  };
}

// Browsers must not guess types, nor caches keep a client's data.

const safeHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  c.res.headers.set('X-Content-Type-Options', 'nosniff');
  c.res.headers.set('Cache-Control', 'no-store');
};

// Logs the route's pattern, since an address may contain anything.

const logRequest: MiddlewareHandler<Env> = async (c, next) => {
  const start = performance.now();
  await next();
  c.get('service').log.info('request', {
    method: c.req.method.slice(0, 16),
    route: c.get('route') ?? null,
    job_id: c.get('jobId') ?? null,
    key_id: c.get('keyId') ?? null,
    address: c.env?.peer?.address ?? null,
    status: c.res.status,
    ms: Math.round((performance.now() - start) * 10) / 10,
  });
};

// Logs unforeseen errors, which clients see without details.

function toResponse(error: unknown, c: ApiContext): Response {
  const known = error instanceof ServiceError ? error : unforeseen(error, c);
  const status = statusOf(known, c.get('route'));
  if (status >= 500) c.get('service').log.error('request_failed', { code: known.code, ...describeFault(known.cause) });
  return new Response(JSON.stringify(failed(known)), {
    status,
    headers: { ...headersOf(known), 'Content-Type': 'application/json' },
  });
}

function unforeseen(cause: unknown, c: ApiContext): ServiceError {
  return new ServiceError({ reason: 'unforeseen', request_id: c.get('requestId') }, { cause });
}

const PLAIN_TOKEN = /^[A-Za-z0-9._-]{1,128}$/;

const requestId =
  (service: Service): MiddlewareHandler<Env> =>
  async (c, next) => {
    const sent = c.req.header('X-Request-Id');
    const id = sent && PLAIN_TOKEN.test(sent) ? sent : service.newId();
    c.set('requestId', id);
    c.set('service', { ...service, log: withRequestId(service.log, id) });
    await next();
    c.res.headers.set('X-Request-Id', id);
  };

const withRequestId = (log: Log, id: string): Log => ({
  info: (event, fields) => log.info(event, { request_id: id, ...fields }),
  error: (event, fields) => log.error(event, { request_id: id, ...fields }),
});

// Against DNS rebinding (MCP 2025-11-25, Transports): pages may call from this machine, from listed origins, or from
// this service's own https address, whose certificate a rebound name lacks.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const refuseForeignOrigins =
  (listed: readonly string[]): MiddlewareHandler<Env> =>
  (c, next) => {
    const origin = c.req.header('Origin');
    if (origin === undefined || listed.includes('*') || listed.includes(origin)) return next();
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    const isOwn = url?.protocol === 'https:' && url.host === c.req.header('Host');
    if (isOwn || (url && LOOPBACK.test(url.hostname))) return next();
    throw new ServiceError({ reason: 'origin_not_listed', origin: origin.slice(0, 200) });
  };

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE',
  'Access-Control-Allow-Headers':
    'X-API-Key, Authorization, Content-Type, X-Request-Id, Idempotency-Key, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
};
const EXPOSED = 'X-Request-Id, Retry-After, Allow, Content-Disposition, Content-Length, Idempotent-Replayed';

const cors =
  (origins: readonly string[]): MiddlewareHandler<Env> =>
  async (c, next) => {
    const origin = c.req.header('Origin');
    const allowed = origins.includes('*') ? '*' : origins.find((listed) => listed === origin);
    const isPreflight = c.req.method === 'OPTIONS' && origin && c.req.header('Access-Control-Request-Method');
    if (isPreflight && allowed) c.res = new Response(null, { status: 204, headers: PREFLIGHT });
    else await next();
    if (origins.length > 0 && allowed !== '*') c.res.headers.append('Vary', 'Origin');
    if (!allowed) return;
    c.res.headers.set('Access-Control-Allow-Origin', allowed);
    c.res.headers.set('Access-Control-Expose-Headers', EXPOSED);
  };

// Answers before the body is read (wrong key, too large file) and discards the rest meanwhile: a client that sends
// everything first would otherwise see a broken connection.

const answerFirst: MiddlewareHandler<Env> = async (c, next) => {
  const body = new RequestBody(c.req.raw);
  c.set('body', body);
  await next();
  if (body.ended) return;
  const answer = new Uint8Array(await c.res.arrayBuffer());
  const headers = new Headers(c.res.headers);
  headers.set('Content-Length', String(answer.byteLength));
  const { status } = c.res;
  c.res = undefined;
  c.res = new Response(keptOpen(answer, body.discardRest()), { status, headers });
};

/** Sends the bytes at once, but ends the stream when `until` resolves. */
function keptOpen(bytes: Uint8Array, until: Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes);
      await until;
      controller.close();
    },
  });
}
