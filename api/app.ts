/** The service's HTTP interface: one application, made from ports, for whatever serves it. */
import { type Handler, Hono, type MiddlewareHandler } from 'hono';
import { ServiceError } from '../domain/errors.ts';
import type { Service } from '../domain/service.ts';
import { answerFirst } from './http/answerFirst.ts';
import { authenticate, authenticateBearer } from './http/authenticate.ts';
import { compressed } from './http/compressed.ts';
import type { Env } from './http/context.ts';
import { cors } from './http/cors.ts';
import { logRequest } from './http/logRequest.ts';
import { refuseForeignOrigins } from './http/refuseForeignOrigins.ts';
import { requestId } from './http/requestId.ts';
import type { Access, Route } from './http/route.ts';
import { safeHeaders } from './http/safeHeaders.ts';
import { toResponse } from './http/toResponse.ts';
import { describeRoutes, type OpenApiDocument } from './openapi/document.ts';
import { callbackSecret } from './routes/callbackSecret.ts';
import { cancelJob } from './routes/cancelJob.ts';
import { columns } from './routes/columns.ts';
import { describe } from './routes/describe.ts';
import { detectFamily } from './routes/detectFamily.ts';
import { download } from './routes/download.ts';
import { eraseJob } from './routes/eraseJob.ts';
import { estimate } from './routes/estimate.ts';
import { events } from './routes/events.ts';
import { generate } from './routes/generate.ts';
import { health } from './routes/health.ts';
import { listJobs } from './routes/listJobs.ts';
import { mcpCall, mcpDownload, mcpPage } from './routes/mcp.ts';
import { pages } from './routes/pages.ts';
import { receipt, receiptKey } from './routes/receipt.ts';
import { releaseJob } from './routes/releaseJob.ts';
import { report, reportData } from './routes/report.ts';
import { sample } from './routes/sample.ts';
import { status } from './routes/status.ts';
import { upload } from './routes/upload.ts';

export interface ApiOptions {
  /** Origins whose pages may call the service from a browser; '*' for all. */
  corsOrigins: readonly string[];
  /** Makes the bundle for desktop assistants; left out where there is none to give. */
  mcpBundle?: () => Promise<Uint8Array<ArrayBuffer>>;
}

export const ROUTES: readonly Route[] = [
  health,
  upload,
  detectFamily,
  estimate,
  generate,
  sample,
  status,
  events,
  listJobs,
  columns,
  download,
  reportData,
  report,
  receipt,
  receiptKey,
  callbackSecret,
  releaseJob,
  cancelJob,
  eraseJob,
  describe,
  ...pages,
  mcpPage,
  mcpCall,
  mcpDownload,
];

const GUARDS: Record<Access, MiddlewareHandler<Env>[]> = {
  key: [authenticate],
  'key or bearer': [authenticateBearer],
  public: [],
};

export function createApp(service: Service, options: ApiOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(requestId(service), logRequest, safeHeaders, cors(options.corsOrigins), answerFirst, compressed);
  app.use(withDocument(service));
  app.use((c, next) => {
    c.set('application', (request) => app.fetch(request));
    c.set('mcpBundle', options.mcpBundle);
    return next();
  });
  app.post(mcpCall.path, refuseForeignOrigins(options.corsOrigins));
  for (const route of ROUTES) {
    app.on(route.method, route.pattern ?? route.path, named(route.path), ...GUARDS[route.access], (c) =>
      route.handle(c),
    );
  }
  for (const [path, same] of Map.groupBy(ROUTES, (route) => route.pattern ?? route.path)) {
    const guards = same.every((route) => route.access === 'key') ? [authenticate] : [];
    app.all(path, named(same[0]?.path ?? path), ...guards, refuseMethod(same));
  }
  app.notFound((c) => toResponse(new ServiceError('not_found', NO_ROUTE), c));
  app.onError((error, c) => toResponse(error, c));
  return app;
}

const NO_ROUTE = 'There is nothing at this address. GET /api-docs lists what there is.';

const named =
  (path: string): MiddlewareHandler<Env> =>
  (c, next) => {
    c.set('route', path);
    return next();
  };

function refuseMethod(routes: readonly Route[]): Handler<Env> {
  const allow = routes
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .join(', ');
  return (c) => {
    const message = `${c.req.method.slice(0, 16)} is not possible here. This address takes ${allow}.`;
    throw new ServiceError('method_not_allowed', message, { headers: { Allow: allow } });
  };
}

/** The description is made when it is first asked for. */
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
