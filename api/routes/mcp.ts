import { html } from 'hono/html';
import { z } from 'zod';
import { BUNDLE_FILE } from '../../mcp/bundleFile.ts';
import { SyntheticTables } from '../../packages/client/client.ts';
import { ServiceError } from '../../packages/contract/errors.ts';
import { UPLOAD_SIZE } from '../../packages/words/files.ts';
import type { ApiContext } from '../http/context.ts';
import { type JsonObject, readJson } from '../http/input.ts';
import { BAD_BODY, type Route, refusal } from '../http/route.ts';
import { type Html, PAGE_HEADERS, page } from '../pages/layout.ts';
import { cancelJob } from './cancelJob.ts';
import { columns } from './columns.ts';
import { detectFamily } from './detectFamily.ts';
import { download } from './download.ts';
import { eraseJob } from './eraseJob.ts';
import { estimate } from './estimate.ts';
import { generate } from './generate.ts';
import { listJobs } from './listJobs.ts';
import { report, reportData } from './report.ts';
import { sample } from './sample.ts';
import { status } from './status.ts';
import { upload } from './upload.ts';

// Has no sessions, so any instance can answer.

/** Messages may contain a table. */
const MAX_MCP_BYTES = 10_485_760;

/** Tools call the application's own routes, so rules exist once. */
async function answerMcp(c: ApiContext, message: JsonObject): Promise<Response> {
  // The SDK takes 0.1 s to load, and most processes answer no assistant.
  const [{ WebStandardStreamableHTTPServerTransport }, { createServer }, { TOOLS }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('../../mcp/createServer.ts'),
    import('../../mcp/tools.ts'),
  ]);
  const server = createServer(clientOf(c), c.get('service').settings.version, TOOLS);
  const acceptsStream = /text\/event-stream|\*\/\*/.test(c.req.header('Accept') ?? '');
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !acceptsStream });
  await server.connect(transport);
  const answer = await transport.handleRequest(headOf(c), { parsedBody: message });
  if (answer.status < 400) return answer;
  throw new ServiceError({ reason: 'mcp_message_refused', answer: await answer.text() });
}

/** Does not retry, since waiting would hold a connection. */
function clientOf(c: ApiContext): SyntheticTables {
  const application = c.get('application');
  const requestId = c.get('requestId');
  return new SyntheticTables({
    url: new URL(c.req.url).origin,
    key: c.get('key'),
    retries: 0,
    async fetch(address, init) {
      const signals = [c.req.raw.signal, ...(init?.signal ? [init.signal] : [])];
      const request = new Request(address, { ...init, signal: AbortSignal.any(signals) });
      request.headers.set('X-Request-Id', requestId);
      return application(request);
    },
  });
}

/** The body has been read; sets the types that the protocol requires. */
function headOf(c: ApiContext): Request {
  const headers = new Headers(c.req.raw.headers);
  headers.set('Accept', 'application/json, text/event-stream');
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  return new Request(c.req.url, { method: 'POST', headers });
}

const HTML = 'text/html; charset=utf-8';

const pageRoute = (
  path: string,
  summary: string,
  render: (c: ApiContext) => Html,
  refusals: Route['refusals'] = [],
): Route => ({
  method: 'get',
  path,
  access: 'public',
  summary,
  description: 'An HTML page.',
  reply: { contentType: HTML, description: 'A page.' },
  refusals,
  handle: async (c) => new Response(String(await render(c)), { headers: { 'Content-Type': HTML, ...PAGE_HEADERS } }),
});

function render(c: ApiContext): Html {
  if (c.req.header('Accept')?.includes('text/event-stream')) {
    throw new ServiceError({ reason: 'mcp_stream_not_offered', allowed: ['GET', 'HEAD', 'POST'] });
  }
  return mcp(baseOf(c), c.get('mcpBundle') !== undefined);
}

/** Wrong behind a proxy that changes the Host header. */
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
  .meta({ description: 'A JSON-RPC 2.0 message.' });

const answerSchema = z
  .looseObject({ jsonrpc: versionSchema, id: idSchema.nullish() })
  .meta({ description: 'A JSON-RPC 2.0 response, with `result` or `error`.' });

export const mcpPage = pageRoute('/mcp', 'How to connect an assistant', render, [
  refusal('method_not_allowed', 'The request asks for an event stream.'),
]);

const TOOL_ROUTES = [
  upload,
  columns,
  detectFamily,
  estimate,
  generate,
  sample,
  status,
  listJobs,
  download,
  report,
  reportData,
  cancelJob,
  eraseJob,
];

export const mcpCall: Route = {
  method: 'post',
  path: '/mcp',
  access: 'key or bearer',
  calls: TOOL_ROUTES,
  streams: true,
  summary: 'The endpoint for assistants (MCP)',
  description: `Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message per request. Send the key in X-API-Key or as a bearer token. The tools do what the calls of this API do. A message may have at most ${MAX_MCP_BYTES} bytes, so upload a file of more than about ${Math.floor((MAX_MCP_BYTES * 3) / 4 / 2 ** 20)} MB (at most ${UPLOAD_SIZE}) with POST /upload.`,
  request: {
    contentType: 'application/json',
    schema: messageSchema,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  },
  reply: {
    contentType: 'text/event-stream',
    description:
      'An event stream with progress, then the answer; application/json where the request accepts no stream.',
  },
  besides: [
    { status: 200, description: 'As JSON: a message with the result or the error.', schema: answerSchema },
    { status: 202, description: 'A notification was accepted; there is no answer.' },
    { status: 400, description: 'A JSON-RPC error: the body is not a valid message.', schema: answerSchema },
  ],
  refusals: [
    BAD_BODY,
    refusal('origin_refused', 'The call comes from a page of an origin that the operator has not listed.'),
    refusal('request_too_large', `The body is larger than ${MAX_MCP_BYTES} bytes.`),
  ],
  handle: async (c) => answerMcp(c, await readJson(c, MAX_MCP_BYTES)),
};

const MCPB = 'application/zip';

export const mcpDownload: Route = {
  method: 'get',
  path: '/mcp/download',
  access: 'public',
  needs: ['give assistant bundle'],
  summary: 'The MCP bundle for desktop assistants',
  description:
    'A bundle (.mcpb: a zip archive with manifest.json and the server in one file) that a desktop assistant opens to install. It runs beside the assistant, reads and writes files on that machine, and calls this service over HTTP.',
  reply: { contentType: MCPB, description: 'The file synthetic-tables.mcpb.' },
  refusals: [refusal('not_found', 'This deployment offers no bundle.')],
  async handle(c) {
    const make = c.get('mcpBundle');
    if (!make) throw new ServiceError({ reason: 'bundle_not_offered' });
    const bytes = await make();
    const headers = {
      'Content-Type': MCPB,
      'Content-Disposition': `attachment; filename="${BUNDLE_FILE}"`,
      'Content-Length': String(bytes.byteLength),
    };
    return new Response(c.req.method === 'HEAD' ? null : bytes, { headers });
  },
};

const UNKNOWN_BASE = 'https://where-this-page-is';

const mcp = (base: string | undefined, hasBundle: boolean): Html => {
  const url = `${base ?? UNKNOWN_BASE}/mcp`;
  return page(
    'Connect an assistant',
    html`
<p>This service speaks the Model Context Protocol (MCP): an assistant can upload a table, look at its columns, generate a
synthetic one, follow the job, and read its rows and metrics. The URL for assistants is:</p>
<pre>${url}</pre>
<p>Replace <code>YOUR_KEY</code> below with your key; ask the operator of this service for one. It is sent in the header
<code>X-API-Key</code>, or as a bearer token in <code>Authorization</code>.</p>
${hasBundle ? DESKTOP : ''}
<h2>Claude Code</h2>
<pre>${`claude mcp add --transport http synthetic-tables ${url} --header "X-API-Key: YOUR_KEY"`}</pre>
<h2>Visual Studio Code</h2>
<p>In <code>.vscode/mcp.json</code>:</p>
<pre>${settings('servers', { type: 'http', url, headers: { 'X-API-Key': 'YOUR_KEY' } })}</pre>
<h2>Cursor</h2>
<p>In <code>~/.cursor/mcp.json</code>:</p>
<pre>${settings('mcpServers', { url, headers: { 'X-API-Key': 'YOUR_KEY' } })}</pre>
<h2>Gemini CLI</h2>
<p>In <code>~/.gemini/settings.json</code>:</p>
<pre>${settings('mcpServers', { httpUrl: url, headers: { 'X-API-Key': 'YOUR_KEY' } })}</pre>
<h2>Codex</h2>
<p>In <code>~/.codex/config.toml</code>, with the key in the environment variable <code>SYNTHETIC_TABLES_KEY</code>:</p>
<pre>${`[mcp_servers.synthetic-tables]\nurl = "${url}"\nbearer_token_env_var = "SYNTHETIC_TABLES_KEY"`}</pre>
<h2>Other assistants</h2>
<p>Streamable HTTP, protocol revision 2025-11-25 and earlier; no sessions, no event stream on GET. To test the
connection:</p>
<pre>${`curl ${url} -H "X-API-Key: YOUR_KEY" -H "Content-Type: application/json" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`}</pre>
<h2>Tools</h2>
<p><code>tables_upload</code>, <code>tables_inspect</code>, <code>tables_estimate</code>, <code>tables_generate</code>, <code>tables_status</code>,
<code>tables_read_report</code>, <code>tables_read_rows</code> and some more. An answer has at most 10,000 characters unless the
assistant asks for <code>detail: full</code>; arguments that a tool does not have are refused.</p>
<h2>Then ask</h2>
<pre>Here is a table of sales. Generate 1,000 synthetic rows with price as the target, and tell me how good they are.</pre>
<p>A table that is uploaded as text passes through the assistant: do not give it a table that it must not see. The
<a href="/">page</a>, the command line and the HTTP API send files to this service only.</p>
`,
  );
};

const DESKTOP = html`
<h2>Claude Desktop and other assistants that install bundles</h2>
<p><a href="/mcp/download">Download synthetic-tables.mcpb</a> and open it; it asks for the URL of this service, for
your key and for a folder. It runs on your machine and has two more tools: <code>tables_upload_file</code> uploads a file of that folder,
<code>tables_save_file</code> saves the synthetic table there. Of an upload the assistant is told the names of columns, counts, levels of twenty rows or more and rounded
ranges; cells, extremes and row numbers only where it asks for examples. Of a job with <code>privacy</code> it is told what may be
shared, and figures that compare with real rows only with <code>owner_figures: true</code>, for which it has to ask you.</p>
`;

const settings = (field: string, server: object): string =>
  JSON.stringify({ [field]: { 'synthetic-tables': server } }, null, 2);
