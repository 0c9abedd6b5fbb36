import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { FAMILIES } from '../../packages/contract/families.ts';
import { UPLOAD } from '../../packages/contract/files.ts';
import { MIN_REAL_ROWS } from '../../packages/contract/releasePolicy.ts';
import { BOUNDS, SAMPLING_BOUNDS } from '../../packages/contract/requests.ts';
import { CONVERSION_NAMES, CONVERSIONS } from '../../packages/tables/formats.ts';
import { assets } from '../../web/assets.ts';
import type { PageData } from '../../web/logic/contract.ts';
import type { ApiContext } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import type { Answer, OpenApiDocument, Operation } from '../openapi/openApi.ts';
import type { Html } from '../pages/layout.ts';
import { samplesOf } from '../pages/samples.ts';

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

export const pages: readonly Route[] = [
  scriptedPage('/', 'The web page of the service', (c) =>
    home(c.get('document')(), c.get('service').settings.maxUploadBytes),
  ),
  scriptedPage('/api-docs', 'API reference', (c) => apiDocs(c.get('document')())),
];

// GET /: the page that takes a table through the service, and the same four calls for programs.

const EXAMPLE = `BASE=https://this-service
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
    families: ['auto', ...FAMILIES],
    formats: FORMATS,
    maxUploadBytes,
    minRealRows: MIN_REAL_ROWS,
    paths: Object.keys(document.paths),
  };
  const content = html`
<h1>Generate a synthetic table</h1>
<p>Upload a CSV file or a spreadsheet, choose a role for each column, and download a synthetic table with metrics of its
quality and privacy.</p>
<div id="app"><noscript><p class="card">This page needs JavaScript. The API calls below do the same from a program.</p></noscript></div>
<details class="card">
<summary>Roles of columns, and the API in four calls</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Roles">
<table>
<thead><tr><th scope="col">Role</th><th scope="col">Field of POST /generate</th><th scope="col">Columns</th></tr></thead>
<tbody>
<tr><td>target</td><td><code>target_col</code></td><td>one numeric column: the outcome to be modelled</td></tr>
<tr><td>continuous</td><td><code>continuous_cols</code></td><td>other numeric columns</td></tr>
<tr><td>categorical</td><td><code>categorical_cols</code></td><td>categories</td></tr>
<tr><td>text</td><td><code>text_cols</code></td><td>free text</td></tr>
<tr><td>ignore</td><td>none</td><td>not in the synthetic table</td></tr>
</tbody>
</table>
</div>
<h2>The API in four calls</h2>
<pre tabindex="0">${EXAMPLE}</pre>
<p>Ask the operator of this service for a key. Every endpoint, field and error code is in the
<a href="/api-docs">API reference</a>; <code>GET /docs</code>, with a key, returns it as OpenAPI 3.1.</p>
</details>
${dataBlock('data', data)}
`;
  return answerPage({ title: 'Synthetic tables', style, script: homeScript, content, version });
}

// GET /api-docs: the OpenAPI description as a page, with samples and a form for each call.

interface Call {
  method: string;
  path: string;
  operation: Operation;
}

async function apiDocs(document: OpenApiDocument): Promise<Response> {
  const { docsScript, style } = await assets();
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const content = html`
<h1>API reference</h1>
<p>${document.info.description}</p>
<p>Send your key in the header <code>X-API-Key</code>. <code>GET /docs</code>, with a key, returns this as
OpenAPI 3.1. In the samples, <code>BASE</code> or <code>base</code> is the URL of this service and <code>KEY</code> or <code>key</code> your key.</p>
<div class="docs">
<aside aria-label="Calls">
<div class="field"><label for="search">Search calls, fields and error codes</label><input id="search" type="search"></div>
<p id="found" role="status" class="small"></p>
<div class="field"><label for="key">Your key, to try calls here</label><input id="key" type="password" autocomplete="off" spellcheck="false"></div>
<nav aria-label="Calls"><ul>${calls.map(entry)}</ul></nav>
</aside>
<div>${calls.map(section)}</div>
</div>
`;
  return answerPage({
    title: 'API reference of Synthetic tables',
    style,
    script: docsScript,
    content,
    version: document.info.version,
  });
}

const entry = ({ method, path, operation }: Call): Html =>
  html`<li data-for="${operation.operationId}"><a href="#${operation.operationId}"><span class="method">${method.toUpperCase()}</span> ${path}</a></li>`;

function section(call: Call): Html {
  const { method, path, operation } = call;
  const access = operation.security.length > 0 ? 'Requires a key.' : 'No key required.';
  return html`
<section id="${operation.operationId}" class="card" data-call aria-labelledby="${operation.operationId}-title">
<h2 id="${operation.operationId}-title"><span class="method">${method.toUpperCase()}</span> ${path}</h2>
<p><strong>${operation.summary}</strong></p>
<p>${operation.description} ${access}</p>
${parametersOf(operation)}
${requestOf(operation)}
<h3>Samples</h3>
${samplesOf(method, path, operation).map(
  ({ language, code }) =>
    html`<details${language === 'curl' ? html` open` : ''}><summary>${language}</summary>${snippet(`${method.toUpperCase()} ${path} in ${language}`, code)}</details>`,
)}
<h3>Responses</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Responses of ${method.toUpperCase()} ${path}">
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${Object.entries(operation.responses).map(([status, answer]) => answerRow(status, answer))}</tbody>
</table>
</div>
${exampleOf(operation)}
${formOf(call)}
</section>
`;
}

const snippet = (title: string, code: string): Html =>
  html`<div class="snippet" data-title="${title}"><pre tabindex="0">${code}</pre></div>`;

function parametersOf({ parameters }: Operation): Html | string {
  if (parameters.length === 0) return '';
  return html`<h3>Parameters</h3><ul>${parameters.map(
    ({ name, in: location, description }) => html`<li><code>${name}</code> (${location}): ${description}</li>`,
  )}</ul>`;
}

function requestOf({ requestBody }: Operation): Html | string {
  const [body] = Object.entries(requestBody?.content ?? {});
  if (!body) return '';
  const [contentType, { schema, example }] = body;
  return html`<h3>Request (${contentType})</h3>
<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>
<details><summary>Schema</summary><pre tabindex="0">${JSON.stringify(schema, null, 2)}</pre></details>`;
}

function answerRow(status: string, answer: Answer): Html {
  const lines = answer.description.split('\n\n').map((line) => html`<div>${line.replaceAll('`', '')}</div>`);
  return html`<tr><td>${status}</td><td>${lines}</td></tr>`;
}

function exampleOf(operation: Operation): Html | string {
  const [content] = Object.values(operation.responses['200']?.content ?? {});
  if (content?.example === undefined) return '';
  const text = typeof content.example === 'string' ? content.example : JSON.stringify(content.example, null, 2);
  return html`<details><summary>Example response</summary><pre tabindex="0">${text}</pre></details>`;
}

/** Shown by the script that serves it. */
function formOf({ method, path, operation }: Call): Html {
  const id = operation.operationId;
  const fields = operation.parameters.map(
    ({ name, in: location }) =>
      html`<div class="field"><label for="${id}-${name}">${name}</label><input id="${id}-${name}" name="${name}" data-in="${location}" autocomplete="off"></div>`,
  );
  return html`<form hidden data-method="${method}" data-path="${path}" aria-label="Try ${method.toUpperCase()} ${path}">
<h3>Try it</h3>
${fields}
${bodyField(id, operation)}
<p><button type="submit">Send ${method.toUpperCase()} ${path}</button></p>
<output></output>
</form>`;
}

function bodyField(id: string, { requestBody }: Operation): Html | string {
  const [body] = Object.entries(requestBody?.content ?? {});
  if (!body) return '';
  const [contentType, { example }] = body;
  if (contentType === 'multipart/form-data') {
    return html`<div class="field"><label for="${id}-file">file</label><input id="${id}-file" type="file" name="file" data-in="file" accept="${UPLOAD.extensions.join(',')}"></div>`;
  }
  return html`<div class="field"><label for="${id}-body">Body (JSON)</label><textarea id="${id}-body" data-in="json" spellcheck="false">${JSON.stringify(example, null, 2)}</textarea></div>`;
}

// The frame of pages with a script: everything is in the one answer, and the policy lets nothing else run or load.

interface ScriptedPage {
  title: string;
  style: string;
  script: string;
  content: Html;
  version: string;
}

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Neither script, style nor font from elsewhere; answers of this service alone; no frame around it. */
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

/** The whole answer to a request for the page. */
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
<header><a class="brand" href="/">Synthetic tables</a><nav aria-label="Pages"><a href="/">Generate</a><a href="/api-docs">API reference</a><a href="/mcp">Assistants (MCP)</a></nav></header>
<main>
${content}
</main>
<footer>Version ${version}. This page loads nothing from other sites.</footer>
<script>${raw(script)}</script>
</body>
</html>
`;

/** A data block for the page's script: '<' cannot end the element early. */
const dataBlock = (id: string, data: unknown): Html =>
  html`<script type="application/json" id="${id}">${raw(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`;
