/** MCP: the address for assistants, the page that says how to connect them, and the bundle for desktop assistants. */
import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/service.ts';
import { BUNDLE_FILE } from '../../mcp/bundleFile.ts';
import { answerMcp, MAX_MCP_BYTES } from '../http/answerMcp.ts';
import type { ApiContext } from '../http/context.ts';
import { pageRoute } from '../http/pageRoute.ts';
import { readJson } from '../http/readJson.ts';
import { BAD_BODY } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';
import type { Html } from '../pages/layout.ts';
import { mcp } from '../pages/mcp.ts';

function render(c: ApiContext): Html {
  if (c.req.header('Accept')?.includes('text/event-stream')) {
    const message =
      'There is no event stream to GET here: each POST /mcp has its own. Ask for text/html to read how to connect.';
    throw new ServiceError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD, POST' } });
  }
  return mcp(baseOf(c), c.get('mcpBundle') !== undefined);
}

/** Where the client sees the service, as far as that is known here: not behind a proxy that changes the Host header. */
function baseOf(c: ApiContext): string | undefined {
  const host = c.req.header('Host');
  return host && /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(host)
    ? `${/^(localhost|127\.|\[::1\])/.test(host) ? 'http' : 'https'}://${host}`
    : undefined;
}

const versionSchema = z.literal('2.0');
const idSchema = z.union([z.string(), z.int()]);

const messageSchema = z
  .strictObject({
    jsonrpc: versionSchema,
    id: idSchema.optional().meta({ description: 'Left out in a notification.' }),
    method: z.string(),
    params: z.looseObject({}).optional(),
  })
  .meta({ description: 'A message of JSON-RPC 2.0.' });

const answerSchema = z
  .looseObject({ jsonrpc: versionSchema, id: idSchema.nullish() })
  .meta({ description: 'An answer of JSON-RPC 2.0, with `result` or `error`.' });

export const mcpPage = pageRoute('/mcp', 'How to connect an assistant', render, [
  refusal('method_not_allowed', 'The request asks for an event stream.'),
]);

export const mcpCall: Route = {
  method: 'post',
  path: '/mcp',
  access: 'key or bearer',
  summary: 'The address for assistants (MCP)',
  description: `Model Context Protocol over Streamable HTTP, without sessions: a JSON-RPC message a request. The key comes in X-API-Key or as a bearer token. Tools do what the calls of this interface do; a message may have ${MAX_MCP_BYTES} bytes, so a file of more than about ${Math.floor((MAX_MCP_BYTES * 3) / 4 / 1_000_000)} MB, and up to ${MAX_UPLOAD_BYTES} bytes, is uploaded by POST /upload.`,
  request: {
    contentType: 'application/json',
    schema: messageSchema,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  },
  reply: {
    contentType: 'text/event-stream',
    description:
      'The answer as an event stream, progress before it; as application/json where the request accepts no stream.',
  },
  besides: [
    { status: 200, description: 'In JSON: the message with the result or the error.', schema: answerSchema },
    { status: 202, description: 'A notification was taken; there is nothing to answer.' },
    { status: 400, description: 'An error of JSON-RPC: the body is no message.', schema: answerSchema },
  ],
  refusals: [
    BAD_BODY,
    refusal('origin_refused', 'A page of another origin calls, which the operator has not listed.'),
    refusal('request_too_large', `The body is larger than ${MAX_MCP_BYTES} bytes.`),
  ],
  handle: async (c) => answerMcp(c, await readJson(c, MAX_MCP_BYTES)),
};

const MCPB = 'application/zip';

export const mcpDownload: Route = {
  method: 'get',
  path: '/mcp/download',
  access: 'public',
  summary: 'The MCP bundle for desktop assistants',
  description:
    'A bundle (.mcpb: a zip with manifest.json and the server in one file) that an assistant on a desktop opens to install. It runs beside the assistant, reads and writes files of its machine, and speaks with this service by HTTP.',
  reply: { contentType: MCPB, description: 'The file synthetic-tables.mcpb.' },
  refusals: [refusal('not_found', 'This deployment gives out no bundle.')],
  async handle(c) {
    const make = c.get('mcpBundle');
    if (!make)
      throw new ServiceError('not_found', 'This deployment gives out no bundle. GET /mcp says how to connect.');
    const bytes = await make();
    const headers = {
      'Content-Type': MCPB,
      'Content-Disposition': `attachment; filename="${BUNDLE_FILE}"`,
      'Content-Length': String(bytes.byteLength),
    };
    return new Response(c.req.method === 'HEAD' ? null : bytes, { headers });
  },
};
