/** GET /api-docs: the OpenAPI description as a page. */
import { html } from 'hono/html';
import type { Answer, OpenApiDocument, Operation } from '../openapi/document.ts';
import { type Html, page } from './layout.ts';

export function apiDocs(document: OpenApiDocument): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  return page(
    'The interface',
    html`
<p>${document.info.description}</p>
<p>Send your key in the header <code>X-API-Key</code>. The same as OpenAPI 3.1: <code>GET /docs</code>, with a key.</p>
<ul>${operations.map(({ title, operation }) => html`<li><a href="#${operation.operationId}">${title}</a> ${operation.summary}</li>`)}</ul>
${operations.map(({ title, operation }) => section(title, operation))}
`,
  );
}

function section(title: string, operation: Operation): Html {
  const access = operation.security.length > 0 ? 'Needs a key.' : 'Needs no key.';
  return html`
<section id="${operation.operationId}">
<h2>${title}</h2>
<p>${operation.summary}</p>
<p>${operation.description} ${access}</p>
${requestOf(operation)}
<h3>Answers</h3>
<table>
<tr><th>Status</th><th>What it says</th></tr>
${Object.entries(operation.responses).map(([status, answer]) => answerRow(status, answer))}
</table>
${exampleOf(operation)}
</section>
`;
}

function requestOf({ requestBody }: Operation): Html | string {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (!entry) return '';
  const [contentType, { schema, example }] = entry;
  return html`<h3>Request (${contentType})</h3>
<pre>${JSON.stringify(example, null, 2)}</pre>
<details><summary>Schema</summary><pre>${JSON.stringify(schema, null, 2)}</pre></details>`;
}

function answerRow(status: string, answer: Answer): Html {
  const lines = answer.description.split('\n\n').map((line) => html`<div>${line.replaceAll('`', '')}</div>`);
  return html`<tr><td>${status}</td><td>${lines}</td></tr>`;
}

function exampleOf(operation: Operation): Html | string {
  const [content] = Object.values(operation.responses['200']?.content ?? {});
  if (content?.example === undefined) return '';
  const text = typeof content.example === 'string' ? content.example : JSON.stringify(content.example, null, 2);
  return html`<h3>An answer</h3><pre>${text}</pre>`;
}
