/** What every handler finds in Hono's context. */
import type { Context } from 'hono';
import type { Service } from '../../service/service.ts';
import type { OpenApiDocument } from '../openapi/openApi.ts';
import type { RequestBody } from './requestBody.ts';

export interface Env {
  Variables: {
    requestId: string;
    /** The service, its log bound to this request. */
    service: Service;
    body: RequestBody;
    /** The key's id; set with `key` by `authenticate` on every route that needs a key. */
    keyId: string;
    /** The key itself, as it was sent. */
    key: string;
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

export type ApiContext = Context<Env>;
