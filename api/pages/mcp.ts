/** GET /mcp: that there is no MCP server in this version, and what to use. */
import { html } from 'hono/html';
import { type Html, page } from './layout.ts';

export const mcp = (version: string): Html =>
  page(
    'MCP',
    html`
<p>Version ${version} of this service has no MCP server: this address speaks no MCP, and there is no bundle to
download.</p>
<p>Until there is one, an assistant or a program can use the HTTP interface directly. It is described for people in
<a href="/api-docs">the interface</a> and for machines in <code>GET /docs</code> (OpenAPI 3.1, with a key in the header
<code>X-API-Key</code>).</p>
`,
  );
