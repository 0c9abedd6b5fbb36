/** GET /mcp: how to connect an assistant. */
import { html } from 'hono/html';
import { type Html, page } from './layout.ts';

const UNKNOWN_BASE = 'https://where-this-page-is';

/** @param base Address of the service as the client sees it, where that is known. */
export const mcp = (base: string | undefined, hasBundle: boolean): Html => {
  const url = `${base ?? UNKNOWN_BASE}/mcp`;
  return page(
    'Connect an assistant',
    html`
<p>This service speaks the Model Context Protocol (MCP): an assistant can upload a table, look at its columns, make a
synthetic one, follow the job, and read its rows and figures. The address for assistants is:</p>
<pre>${url}</pre>
<p>Put your key in place of <code>YOUR_KEY</code> below. It comes from the operator of this service, and travels in the
header <code>X-API-Key</code>, or as a bearer token in <code>Authorization</code>.</p>
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
<h2>Any other</h2>
<p>Streamable HTTP, protocol revision 2025-11-25 and those before it; no session, no event stream to GET. To see that it
answers:</p>
<pre>${`curl ${url} -H "X-API-Key: YOUR_KEY" -H "Content-Type: application/json" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`}</pre>
<h2>Then ask</h2>
<pre>Here is a table of sales. Make 1,000 synthetic rows of it, with price as the target, and tell me how good they are.</pre>
<p>What a file holds goes through the assistant when it is uploaded as text: give it no table that it may not see. The
<a href="/">page</a>, the command line and the HTTP interface send a file to this service alone.</p>
`,
  );
};

const DESKTOP = html`
<h2>Claude Desktop, and others that open bundles</h2>
<p><a href="/mcp/download">Download synthetic-tables.mcpb</a> and open it; it asks for the address of this service and for
your key. It runs on your machine and has two tools more: it uploads a file by its path, without the assistant reading it,
and saves the synthetic table to a file.</p>
`;

const settings = (field: string, server: object): string =>
  JSON.stringify({ [field]: { 'synthetic-tables': server } }, null, 2);
