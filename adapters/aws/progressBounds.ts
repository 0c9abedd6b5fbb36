/** Bounds on what a record keeps of its progress, so that it stays below the 400 KB that an item may have. */
import { type JobEvent, jobEventSchema } from '../../packages/contract/events.ts';

export const MAX_EVENT_BYTES = 500;
export const MAX_EVENTS = 300;

const HEAD = 100;
const TAIL = 99;

const NAMES: ReadonlySet<string> = new Set(['column', 'columns', 'model', 'parameter', 'base', 'engine', 'job_id']);

/** The last always fits. */
const CUTS = [
  { characters: 60, names: 3 },
  { characters: 10, names: 1 },
] as const;

export function fitEvent(event: JobEvent): JobEvent {
  let fitted = event;
  for (const { characters, names } of CUTS) {
    if (Buffer.byteLength(JSON.stringify(fitted)) <= MAX_EVENT_BYTES) break;
    const cut = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.slice(0, names).map(cut);
      if (typeof value !== 'string' || value.length <= characters) return value;
      return `${[...value].slice(0, characters).join('')}…`;
    };
    fitted = jobEventSchema.parse(
      Object.fromEntries(Object.entries(event).map(([key, value]) => [key, NAMES.has(key) ? cut(value) : value])),
    );
  }
  return fitted;
}

/** Replaces middle events by one that counts them. */
export function capProgress(entries: readonly JobEvent[]): JobEvent[] {
  if (entries.length <= MAX_EVENTS) return [...entries];
  const middle = entries.slice(HEAD, entries.length - TAIL);
  const first = middle[0]!;
  const before = first.fact === 'events_omitted' ? first.events : 0;
  const events = before === 0 ? middle.length : before + middle.length - 1;
  const omitted = { stage: 'fit', fact: 'events_omitted', events, seconds: first.seconds } as const;
  return [...entries.slice(0, HEAD), omitted, ...entries.slice(entries.length - TAIL)];
}
