/** The frame of pages with a script: everything is in the one answer, and the policy lets nothing else run or load. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Html } from './layout.ts';

export interface ScriptedPage {
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
export function answerPage(page: ScriptedPage): Response {
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
<header><a class="brand" href="/">Synthetic tables</a><nav aria-label="Pages"><a href="/">Make a table</a><a href="/api-docs">The interface</a><a href="/mcp">Assistants (MCP)</a></nav></header>
<main>
${content}
</main>
<footer>Version ${version}. Nothing on this page is loaded from anywhere else.</footer>
<script>${raw(script)}</script>
</body>
</html>
`;

/** A data block for the page's script: '<' cannot end the element early. */
export const dataBlock = (id: string, data: unknown): Html =>
  html`<script type="application/json" id="${id}">${raw(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`;
