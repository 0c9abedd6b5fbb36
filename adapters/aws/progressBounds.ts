/** Bounds on what a record keeps of its progress, so that it stays below the 400 KB that an item may have. */
import { type JobEvent, jobEventSchema } from '../../packages/contract/events.ts';

export const MAX_EVENT_BYTES = 500;
export const MAX_EVENTS = 300;

/** Events kept at the beginning and at the end, where there have been too many. */
const HEAD = 100;
const TAIL = 99;

/** What holds names, which may be as long as a file has them. */
const NAMES: ReadonlySet<string> = new Set(['column', 'columns', 'model', 'parameter', 'base', 'engine', 'job_id']);

/** Characters of a name, and names of a list, that are kept of an event that is too long; the last always fit. */
const CUTS = [
  { characters: 60, names: 3 },
  { characters: 10, names: 1 },
] as const;

/** The event, its names cut at a character where it is too long. */
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

/** All where there is room for them; else the first and the last, and between them how many were left out. */
export function capProgress(entries: readonly JobEvent[]): JobEvent[] {
  if (entries.length <= MAX_EVENTS) return [...entries];
  const middle = entries.slice(HEAD, entries.length - TAIL);
  const first = middle[0]!;
  const before = first.fact === 'events_omitted' ? first.events : 0;
  const events = before === 0 ? middle.length : before + middle.length - 1;
  const omitted = { stage: 'fit', fact: 'events_omitted', events, seconds: first.seconds } as const;
  return [...entries.slice(0, HEAD), omitted, ...entries.slice(entries.length - TAIL)];
}
