/** A page for people, as a route. */
import { type Html, PAGE_HEADERS } from '../pages/layout.ts';
import type { ApiContext } from './context.ts';
import type { Route } from './route.ts';

const HTML = 'text/html; charset=utf-8';

export const pageRoute = (
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

export const versionOf = (c: ApiContext): string => c.get('service').settings.version;
