/** Where in the page the visitor is, as the address says it behind '#': a reload, a bookmark and Back find it again. */

export type Route = { at: 'start' } | { at: 'job'; id: string } | { at: 'jobs' };

export function routeOf(hash: string): Route {
  const [, id] = /^#job=([\w-]{1,64})$/.exec(hash) ?? [];
  if (id !== undefined) return { at: 'job', id };
  return hash === '#jobs' ? { at: 'jobs' } : { at: 'start' };
}

export const hashOf = (route: Route): string => {
  if (route.at === 'job') return `#job=${route.id}`;
  return route.at === 'jobs' ? '#jobs' : '#start';
};
