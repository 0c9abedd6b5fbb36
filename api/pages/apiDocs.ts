/** GET /api-docs: the OpenAPI description as a page, with samples and a form for each call. */
import { html } from 'hono/html';
import { assets } from '../../web/assets.ts';
import type { Answer, OpenApiDocument, Operation } from '../openapi/document.ts';
import type { Html } from './layout.ts';
import { samplesOf } from './samples.ts';
import { answerPage } from './scripted.ts';

interface Call {
  method: string;
  path: string;
  operation: Operation;
}

export async function apiDocs(document: OpenApiDocument): Promise<Response> {
  const { docsScript, style } = await assets();
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const content = html`
<h1>The interface</h1>
<p>${document.info.description}</p>
<p>Send your key in the header <code>X-API-Key</code>. The same as OpenAPI 3.1: <code>GET /docs</code>, with a key. In the
samples, <code>BASE</code> or <code>base</code> is the address of this service and <code>KEY</code> or <code>key</code> your key.</p>
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
    title: 'The interface of Synthetic tables',
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
  const access = operation.security.length > 0 ? 'Needs a key.' : 'Needs no key.';
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
<h3>Answers</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Answers of ${method.toUpperCase()} ${path}">
<table>
<thead><tr><th scope="col">Status</th><th scope="col">What it says</th></tr></thead>
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
    ({ name, in: place, description }) => html`<li><code>${name}</code> (${place}): ${description}</li>`,
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
  return html`<details><summary>An answer</summary><pre tabindex="0">${text}</pre></details>`;
}

/** Shown by the script that serves it. */
function formOf({ method, path, operation }: Call): Html {
  const id = operation.operationId;
  const fields = operation.parameters.map(
    ({ name, in: place }) =>
      html`<div class="field"><label for="${id}-${name}">${name}</label><input id="${id}-${name}" name="${name}" data-in="${place}" autocomplete="off"></div>`,
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
    return html`<div class="field"><label for="${id}-file">file</label><input id="${id}-file" type="file" name="file" data-in="file" accept=".csv,.xlsx,.xls"></div>`;
  }
  return html`<div class="field"><label for="${id}-body">Body (JSON)</label><textarea id="${id}-body" data-in="json" spellcheck="false">${JSON.stringify(example, null, 2)}</textarea></div>`;
}
