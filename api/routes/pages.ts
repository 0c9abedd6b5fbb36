import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { TARGET_FAMILIES } from '../../packages/contract/families.ts';
import { MIN_REAL_ROWS } from '../../packages/contract/releasePolicy.ts';
import { BOUNDS, SAMPLING_BOUNDS } from '../../packages/contract/requests.ts';
import { SAMPLERS } from '../../packages/numerics/regression/samplers.ts';
import { CONVERSION_NAMES, CONVERSIONS } from '../../packages/tables/formats.ts';
import { assets } from '../../web/assets.ts';
import type { PageData } from '../../web/logic/contract.ts';
import type { ApiContext } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import type { OpenApiDocument } from '../openapi/openApi.ts';
import type { Html } from '../pages/layout.ts';
import { reference } from '../pages/reference.ts';

const scriptedPage = (path: string, summary: string, handle: (c: ApiContext) => Promise<Response>): Route => ({
  method: 'get',
  path,
  access: 'public',
  summary,
  description: 'An HTML page that contains its style and script and loads nothing from elsewhere.',
  reply: { contentType: 'text/html; charset=utf-8', description: 'A page.' },
  refusals: [],
  handle,
});

const EXAMPLE_TABLE = 'appointments.csv';

export const pages: readonly Route[] = [
  scriptedPage('/', 'The web page of the service', (c) =>
    home(c.get('document')(), c.get('service').settings.maxUploadBytes),
  ),
  scriptedPage('/api-docs', 'API reference', (c) => apiDocs(c.get('document')())),
  {
    method: 'get',
    path: `/examples/${EXAMPLE_TABLE}`,
    access: 'public',
    summary: 'A table to try',
    description: 'Invented clinic appointments, as a file for POST /upload.',
    reply: { contentType: 'text/csv; charset=utf-8', description: 'A CSV file.' },
    refusals: [],
    handle: async () =>
      new Response((await assets()).example, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } }),
  },
];

const SAMPLE_CALLS = `BASE=https://this-service
KEY=your-key

curl -H "X-API-Key: $KEY" -F file=@table.csv $BASE/upload
# → job_id, and what each column is

curl -H "X-API-Key: $KEY" -H "Content-Type: application/json" $BASE/generate -d '{
  "job_id": "the-job-id",
  "target_col": "price",
  "continuous_cols": ["area", "age"],
  "categorical_cols": ["city"],
  "text_cols": [],
  "n_samples": 3000
}'

curl -H "X-API-Key: $KEY" $BASE/status/the-job-id      # until "status" is "done"
curl -H "X-API-Key: $KEY" -O -J $BASE/download/the-job-id`;

const FORMATS: PageData['formats'] = CONVERSION_NAMES.map((name) => {
  const { title, contentType: type } = CONVERSIONS[name];
  return { name, title, type };
});

async function home(document: OpenApiDocument, maxUploadBytes: number): Promise<Response> {
  const { homeScript, style } = await assets();
  const { version } = document.info;
  const data: PageData = {
    version,
    bounds: { ...BOUNDS, ...SAMPLING_BOUNDS },
    families: ['auto', ...TARGET_FAMILIES],
    samplers: SAMPLERS,
    formats: FORMATS,
    maxUploadBytes,
    example: { path: `/examples/${EXAMPLE_TABLE}`, name: EXAMPLE_TABLE },
    minRealRows: MIN_REAL_ROWS,
    paths: Object.keys(document.paths),
  };
  const content = html`
<div id="app"><noscript><h1>Generate a synthetic table</h1><p class="card">This page needs JavaScript. The API calls below do the same from a program.</p></noscript></div>
<details class="card" id="program">
<summary>Help</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Roles">
<table>
<thead><tr><th scope="col">Role</th><th scope="col">Field of POST /generate</th><th scope="col">Columns</th></tr></thead>
<tbody>
<tr><td>target</td><td><code>target_col</code></td><td>one column of numbers or of a few categories: the outcome to be modelled</td></tr>
<tr><td>continuous</td><td><code>continuous_cols</code></td><td>other numeric columns</td></tr>
<tr><td>categorical</td><td><code>categorical_cols</code></td><td>categories</td></tr>
<tr><td>text</td><td><code>text_cols</code></td><td>free text</td></tr>
<tr><td>ignore</td><td>none</td><td>not in the synthetic table</td></tr>
</tbody>
</table>
</div>
<h2>The API in four calls</h2>
<pre tabindex="0">${SAMPLE_CALLS}</pre>
<p>Ask whoever runs this server for a key. Every endpoint, field and error code is in the
<a href="/api-docs">API reference</a>; <code>GET /docs</code>, with a key, returns it as OpenAPI 3.1.</p>
</details>
${dataBlock('data', data)}
`;
  return answerPage({ title: 'Synthetic tables', style, script: homeScript, content, version });
}

async function apiDocs(document: OpenApiDocument): Promise<Response> {
  const { docsScript, style } = await assets();
  return answerPage({
    title: 'API reference of Synthetic tables',
    style,
    script: docsScript,
    content: reference(document),
    version: document.info.version,
  });
}

// Everything is inline, and the policy forbids anything else.

interface ScriptedPage {
  title: string;
  style: string;
  script: string;
  content: Html;
  version: string;
}

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policyOf = ({ style, script }: ScriptedPage): string =>
  [
    "default-src 'none'",
    `script-src ${sha256(script)}`,
    `style-src ${sha256(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function answerPage(page: ScriptedPage): Response {
  return new Response(String(frame(page)), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(page),
      'Referrer-Policy': 'no-referrer',
    },
  });
}

const frame = ({ title, style, script, content, version }: ScriptedPage): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<header><a class="brand" href="/">Synthetic tables</a><nav aria-label="Pages"><a href="/api-docs">API reference</a><a href="/mcp">Assistants (MCP)</a></nav></header>
<main>
${content}
</main>
<footer>Version ${version}. This page loads nothing from other sites.</footer>
<script>${raw(script)}</script>
</body>
</html>
`;

/** Escapes '<', which could end the element. */
const dataBlock = (id: string, data: unknown): Html =>
  html`<script type="application/json" id="${id}">${raw(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`;
