/** Where in the page the visitor is, as the address says it behind '#': a reload, a bookmark and Back find it again. */

export type Place = { at: 'start' } | { at: 'job'; id: string } | { at: 'jobs' };

export function placeOf(hash: string): Place {
  const [, id] = /^#job=([\w-]{1,64})$/.exec(hash) ?? [];
  if (id !== undefined) return { at: 'job', id };
  return hash === '#jobs' ? { at: 'jobs' } : { at: 'start' };
}

export const hashOf = (place: Place): string => {
  if (place.at === 'job') return `#job=${place.id}`;
  return place.at === 'jobs' ? '#jobs' : '#start';
};
