import { ServiceError } from '../../domain/errors.ts';
import type { ApiContext } from '../http/context.ts';
import { type Route, refusal } from '../http/route.ts';
import { apiDocs } from '../pages/apiDocs.ts';
import { home } from '../pages/home.ts';
import { type Html, PAGE_HEADERS } from '../pages/layout.ts';
import { mcp } from '../pages/mcp.ts';

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
  description: 'A page for people.',
  reply: { contentType: HTML, description: 'A page.' },
  refusals,
  handle: async (c) => new Response(String(await render(c)), { headers: { 'Content-Type': HTML, ...PAGE_HEADERS } }),
});

const versionOf = (c: ApiContext) => c.get('service').settings.version;

function mcpPage(c: ApiContext): Html {
  if (c.req.header('Accept')?.includes('text/event-stream')) {
    const message = 'There is no MCP event stream in this version. Ask for text/html to read what to use in its place.';
    throw new ServiceError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
  }
  return mcp(versionOf(c));
}

const mcpDownload: Route = {
  method: 'get',
  path: '/mcp/download',
  access: 'public',
  summary: 'The MCP bundle, where there is one',
  description: 'This version publishes no MCP bundle.',
  reply: { contentType: 'application/octet-stream', description: 'Not in this version.' },
  refusals: [refusal('not_found', 'No bundle is published in this version.')],
  handle() {
    const message = 'No MCP bundle is published in this version. GET /mcp says what to use in its place.';
    throw new ServiceError('not_found', message);
  },
};

export const pages: readonly Route[] = [
  pageRoute('/', 'What the service is and how to use it', (c) => home(versionOf(c))),
  pageRoute('/api-docs', 'Every endpoint, field and error', (c) => apiDocs(c.get('document')())),
  pageRoute('/mcp', 'Whether and how the service speaks MCP', mcpPage, [
    refusal('method_not_allowed', 'The request asks for an event stream.'),
  ]),
  mcpDownload,
];
