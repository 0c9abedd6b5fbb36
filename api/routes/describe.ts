import type { Route } from '../http/route.ts';

/** Not `application/json`, since the answer has no envelope. */
const OPENAPI_JSON = 'application/vnd.oai.openapi+json;version=3.1';

export const describe: Route = {
  method: 'get',
  path: '/docs',
  access: 'key',
  summary: 'This description',
  description:
    'OpenAPI 3.1, generated from the schemas that validate requests. It has no envelope, as OpenAPI tools expect.',
  reply: { contentType: OPENAPI_JSON, description: 'An OpenAPI document.' },
  refusals: [],
  handle: (c) => new Response(JSON.stringify(c.get('document')()), { headers: { 'Content-Type': OPENAPI_JSON } }),
};
