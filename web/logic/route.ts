/** Where in the page the visitor is, as the address says it behind '#': a reload, a bookmark and Back find it again. */
import type { NextStep } from '../../packages/contract/verdicts.ts';

/** What a job is set up from: an earlier job, and the change that a verdict on it advised. */
export interface Earlier {
  from: string;
  action: NextStep['action'] | null;
  column: string | null;
}

export type Route =
  | { at: 'start' }
  | { at: 'job'; id: string; earlier?: Earlier }
  | { at: 'jobs' }
  | { at: 'compare'; ids: readonly [string, string] };

/** Actions that the page can take by itself. */
const ACTIONS: readonly NextStep['action'][] = [
  ...(['check_role', 'keep_rare', 'set_policy', 'leave_out'] as const),
  ...(['raise_text_epochs', 'raise_draws', 'choose_family'] as const),
];

export const canDo = (action: NextStep['action']): boolean => ACTIONS.includes(action);

const idIn = (fields: URLSearchParams, name: string): string | undefined =>
  /^[\w-]{1,64}$/.exec(fields.get(name) ?? '')?.[0];

export function routeOf(hash: string): Route {
  const fields = new URLSearchParams(hash.slice(1));
  const id = idIn(fields, 'job');
  if (id !== undefined) {
    const from = idIn(fields, 'from');
    if (from === undefined) return { at: 'job', id };
    const action = ACTIONS.find((known) => known === fields.get('do')) ?? null;
    return { at: 'job', id, earlier: { from, action, column: fields.get('column') } };
  }
  const [one, other] = [idIn(fields, 'compare'), idIn(fields, 'with')];
  if (one !== undefined && other !== undefined) return { at: 'compare', ids: [one, other] };
  return hash === '#jobs' ? { at: 'jobs' } : { at: 'start' };
}

export function hashOf(route: Route): string {
  if (route.at === 'compare') return `#compare=${route.ids[0]}&with=${route.ids[1]}`;
  if (route.at !== 'job') return `#${route.at}`;
  const { id, earlier } = route;
  const fields = new URLSearchParams({
    job: id,
    ...(earlier && { from: earlier.from }),
    ...(earlier?.action && { do: earlier.action }),
    ...(earlier?.column && { column: earlier.column }),
  });
  return `#${fields}`;
}

/** The key in an address as `…/#key=…`, by which a visitor comes from the line that the service prints at its start. */
export const keyIn = (hash: string): string | undefined =>
  new URLSearchParams(hash.slice(1)).get('key')?.trim() || undefined;
