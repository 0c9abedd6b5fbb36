/** The OpenAPI description as a page (GET /api-docs). */
import { html } from 'hono/html';
import { UPLOAD } from '../../packages/contract/files.ts';
import { type FieldLine, fieldLines } from '../openapi/fields.ts';
import type { Answer, Content, JsonSchema, OpenApiDocument, Operation } from '../openapi/openApi.ts';
import type { Html } from './layout.ts';
import { samplesOf } from './samples.ts';

interface Call {
  method: string;
  path: string;
  operation: Operation;
}

export function reference(document: OpenApiDocument): Html {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return html`
<h1>API reference</h1>
<p>${document.info.description}</p>
<p>Send your key in the header <code>X-API-Key</code>. <code>GET /docs</code>, with a key, returns this as
OpenAPI 3.1. In the samples, <code>BASE</code> or <code>base</code> is the URL of this service, <code>KEY</code> or <code>key</code> your key,
and <code>JOB_ID</code>, <code>jobId</code> or <code>job_id</code> the id that <code>POST /upload</code> returned, and
<code>REAL_JOB_ID</code> and <code>HOLDOUT_JOB_ID</code> those of further uploads. They use the file
<code>examples/penguins.csv</code> of this package.</p>
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
}

const entry = ({ method, path, operation }: Call): Html =>
  html`<li data-for="${operation.operationId}"><a href="#${operation.operationId}"><span class="method">${method.toUpperCase()}</span> ${path}</a></li>`;

function section(call: Call): Html {
  const { method, path, operation } = call;
  const access = operation.security.length > 0 ? 'Requires a key.' : 'No key required.';
  const title = `${method.toUpperCase()} ${path}`;
  return html`
<section id="${operation.operationId}" class="card" data-call aria-labelledby="${operation.operationId}-title">
<h2 id="${operation.operationId}-title"><span class="method">${method.toUpperCase()}</span> ${path}</h2>
<p><strong>${operation.summary}</strong></p>
<p>${operation.description} ${access}</p>
${parametersOf(title, operation)}
${requestOf(title, operation)}
<h3>Samples</h3>
${samplesOf(method, path, operation).map(
  ({ language, code }) =>
    html`<details${language === 'curl' ? html` open` : ''}><summary>${language}</summary>${snippet(`${title} in ${language}`, code)}</details>`,
)}
${replyOf(title, operation)}
<h3>Errors and other answers</h3>
${table(
  `Errors of ${title}`,
  ['Status', 'Code', 'Meaning'],
  Object.entries(operation.responses).flatMap(([status, answer]) => answerLines(status, answer)),
)}
${formOf(call)}
</section>
`;
}

const snippet = (title: string, code: string): Html =>
  html`<div class="snippet" data-title="${title}"><pre tabindex="0">${code}</pre></div>`;

const table = (label: string, heads: readonly string[], lines: readonly (readonly string[])[]): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="${label}">
<table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${lines.map((cells) => html`<tr>${cells.map((cell, i) => (i === 0 ? html`<td><code>${cell}</code></td>` : html`<td>${cell}</td>`))}</tr>`)}</tbody>
</table>
</div>`;

const FIELD_HEADS = ['Field', 'Type', 'Meaning'];

const fieldCells = ({ path, type, required, bounds, meaning }: FieldLine, asked: boolean): string[] => [
  path,
  type,
  [
    ...(asked && required ? ['Required.'] : []),
    meaning.replaceAll('`', ''),
    ...(bounds === '' ? [] : [`${/[\d.-]+ to|at (least|most)/.test(bounds) ? 'Bounds' : 'Values'}: ${bounds}.`]),
  ].join(' '),
];

const fieldTable = (label: string, schema: JsonSchema, { isAsked }: { isAsked: boolean }): Html | string => {
  const lines = fieldLines(schema);
  return lines.length === 0
    ? ''
    : table(
        label,
        FIELD_HEADS,
        lines.map((line) => fieldCells(line, isAsked)),
      );
};

function parametersOf(title: string, { parameters }: Operation): Html | string {
  if (parameters.length === 0) return '';
  const properties = Object.fromEntries(
    parameters.map(({ name, in: location, description, schema }) => [
      name,
      { ...schema, description: `${description} (${location})` },
    ]),
  );
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return html`<h3>Parameters</h3>${fieldTable(`Parameters of ${title}`, { properties, required }, { isAsked: true })}`;
}

function requestOf(title: string, { requestBody }: Operation): Html | string {
  const [body] = Object.entries(requestBody?.content ?? {});
  if (!body) return '';
  const [contentType, { schema, example }] = body;
  return html`<h3>Request (${contentType})</h3>
${fieldTable(`Fields of the request of ${title}`, schema, { isAsked: true })}
${exampleOf('Example request', example)}`;
}

function replyOf(title: string, { responses }: Operation): Html | string {
  const [body] = Object.entries(responses['200']?.content ?? {});
  if (!body) return '';
  const [contentType, { schema, example }]: [string, Content] = body;
  return html`<h3>Reply (${contentType})</h3>
<p>${responses['200']?.description ?? ''}</p>
${contentType === 'application/json' ? html`<details><summary>Fields of the reply</summary>${fieldTable(`Fields of the reply of ${title}`, schema, { isAsked: false })}</details>` : ''}
${exampleOf('Example reply', example)}`;
}

function exampleOf(title: string, example: unknown): Html | string {
  if (example === undefined) return '';
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<details><summary>${title}</summary><pre tabindex="0">${text}</pre></details>`;
}

function answerLines(status: string, answer: Answer): string[][] {
  const codes = Object.values(answer.content).flatMap(({ examples }) => Object.entries(examples ?? {}));
  if (codes.length === 0) return [[status, '', answer.description.replaceAll('`', '')]];
  return codes.map(([code, { summary }]) => [status, code, summary]);
}

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
