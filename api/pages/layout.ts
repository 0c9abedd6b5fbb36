import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;

const STYLE = `
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; }
nav a { margin-right: 1rem; }
pre { padding: .75rem; overflow-x: auto; background: #f3f3f3; }
table { border-collapse: collapse; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }
section { margin-top: 2.5rem; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } pre { background: #262626; } a { color: #8ab4f8; } th, td { border-color: #444; } }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** Allows only the page's own style, and no framing. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
};

export const page = (title: string, content: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<nav><a href="/">Generate</a><a href="/api-docs">API reference</a><a href="/mcp">MCP</a></nav>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
