/** A message of an assistant, answered. There are no sessions: any instance of the service can answer any message. */
import { SyntheticTables } from '../../client/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext } from './context.ts';
import type { JsonObject } from './readJson.ts';

/** A message may carry a table. */
export const MAX_MCP_BYTES = 10_485_760;

/** The tools call the application's own routes: what they may do and what they answer is said once. */
export async function answerMcp(c: ApiContext, message: JsonObject): Promise<Response> {
  // The SDK takes a tenth of a second to load, and most processes answer no assistant.
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
  throw new ServiceError('invalid_request', `The message is refused as no message of MCP: ${await answer.text()}`);
}

/** No retries: whoever waits here holds a connection; the assistant is told when to come back. */
function clientOf(c: ApiContext): SyntheticTables {
  const application = c.get('application');
  const requestId = c.get('requestId');
  return new SyntheticTables({
    url: new URL(c.req.url).origin,
    key: c.get('key'),
    retries: 0,
    async fetch(address, init) {
      const request = new Request(address, init);
      request.headers.set('X-Request-Id', requestId);
      return application(request);
    },
  });
}

/** The request without its body, which has been read; with the types that the protocol asks for, whatever was sent. */
function headOf(c: ApiContext): Request {
  const headers = new Headers(c.req.raw.headers);
  headers.set('Accept', 'application/json, text/event-stream');
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  return new Request(c.req.url, { method: 'POST', headers });
}
