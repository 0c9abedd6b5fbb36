/** Routes are in the address's fragment, for reloads, bookmarks and Back. */
import type { StatusReply } from '../../packages/contract/replies.ts';
import type { NextStep } from '../../packages/contract/verdicts.ts';

export interface Earlier {
  from: string;
  action: NextStep['action'] | null;
  column: string | null;
}

export interface JudgedUploads {
  real: string | null;
  synthetic: string | null;
  held: string | null;
}

export type Route =
  | { at: 'start' }
  | { at: 'job'; id: string; earlier?: Earlier }
  | { at: 'jobs' }
  /** Comparison of an external table; `from` provides roles. */
  | { at: 'judge'; uploads: JudgedUploads; from: string | null }
  | { at: 'sideBySide'; ids: readonly [string, string] };

export const NOTHING_JUDGED: JudgedUploads = { real: null, synthetic: null, held: null };

const ACTIONS: readonly NextStep['action'][] = [
  'check_role',
  'keep_rare',
  'cross_fit',
  'set_policy',
  'leave_out',
  'raise_text_epochs',
  'raise_draws',
  'choose_family',
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
  if (one !== undefined && other !== undefined) return { at: 'sideBySide', ids: [one, other] };
  if (fields.has('judge')) return judgeRouteOf(fields);
  return hash === '#jobs' ? { at: 'jobs' } : { at: 'start' };
}

function judgeRouteOf(fields: URLSearchParams): Route {
  const id = (name: string) => idIn(fields, name) ?? null;
  return {
    at: 'judge',
    uploads: { real: id('real'), synthetic: id('synthetic'), held: id('held-out') },
    from: id('from'),
  };
}

function judgeHash({ real, synthetic, held }: JudgedUploads, from: string | null): string {
  const fields = new URLSearchParams({
    ...(real !== null && { real }),
    ...(synthetic !== null && { synthetic }),
    ...(held !== null && { 'held-out': held }),
    ...(from !== null && { from }),
  });
  return fields.size === 0 ? '#judge' : `#judge&${fields}`;
}

export function hashOf(route: Route): string {
  if (route.at === 'sideBySide') return `#compare=${route.ids[0]}&with=${route.ids[1]}`;
  if (route.at === 'judge') return judgeHash(route.uploads, route.from);
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

/**
 * @returns undefined for jobs that are no comparison.
 * @param synthetic Another job of its upload.
 */
export function judgedAgain(
  { job_id, compared_with, holdout_job_id }: Pick<StatusReply, 'job_id' | 'compared_with' | 'holdout_job_id'>,
  synthetic: string = job_id,
): Route | undefined {
  if (compared_with === undefined) return undefined;
  const uploads = { real: compared_with, synthetic, held: holdout_job_id ?? null };
  return { at: 'judge', uploads, from: job_id };
}

/** Reads `…/#key=…`, as printed by the service at its start. */
export const keyIn = (hash: string): string | undefined =>
  new URLSearchParams(hash.slice(1)).get('key')?.trim() || undefined;
