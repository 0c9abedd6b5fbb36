import type { ApiContext } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { apiDocs } from '../pages/apiDocs.ts';
import { home } from '../pages/home.ts';

const scriptedPage = (path: string, summary: string, handle: (c: ApiContext) => Promise<Response>): Route => ({
  method: 'get',
  path,
  access: 'public',
  summary,
  description: 'A page for people: one answer with its style and script inside, which loads nothing from elsewhere.',
  reply: { contentType: 'text/html; charset=utf-8', description: 'A page.' },
  refusals: [],
  handle,
});

export const pages: readonly Route[] = [
  scriptedPage('/', 'The page that takes a table through the service', (c) =>
    home(c.get('document')(), c.get('service').settings.maxUploadBytes),
  ),
  scriptedPage('/api-docs', 'Every endpoint, field and error', (c) => apiDocs(c.get('document')())),
];
