import { MIN_COUNT } from '../contract/problems.ts';
import type { QueuePlace } from '../contract/replies.ts';

const LONGEST_QUOTE = 60;

/** Quotes and shortens a text, with line breaks and quotes escaped. */
export function quoted(text: string): string {
  const shown = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return JSON.stringify(shown);
}

/** "1 row", "2 rows", "1,200 rows". */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${withCommas(count)} ${count === 1 ? noun : nouns}`;
}

/** "fewer than 20 rows": hides small counts of real rows. */
export const countedRoughly = (count: number, noun: string): string =>
  count < MIN_COUNT ? `fewer than ${MIN_COUNT} ${noun}s` : counted(count, noun);

export const withCommas = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** "a, b and c", or "a, b and 12 more". */
export function listed(items: readonly string[], most = 10): string {
  const shown = items.slice(0, most);
  if (items.length > most) return `${shown.join(', ')} and ${withCommas(items.length - most)} more`;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** "19.9 %", "below 0.1 %". */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  if (share > 0 && text === '0.0') return 'below 0.1 %';
  if (share < 1 && text === '100.0') return 'over 99.9 %';
  return `${text.replace(/\.0$/, '')} %`;
}

export const keyNote = (name: string): string =>
  `Column ${quoted(name)} has keys: new ones are generated, unrelated to the other columns.`;

/** Warns the owner that most rows were already used for another private table. */
export const sharedRowsNote = ({ share, job_id, at }: { share: number; job_id: string; at: string }): string =>
  `About ${percent(share)} of the rows of this table were already used for private tables (job ${job_id}, ${at.slice(0, 10)}). Each table has a budget of its own, but for a person in both the costs add up: divide one budget among versions of a table.`;

/** Falls back to undefined for names of later versions. */
export const wordsFor = <Words>(table: Readonly<Record<string, Words>>, name: string): Words | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const queueText = ({ position, seconds }: QueuePlace): string =>
  `Waiting for a free slot: number ${position} in the queue${seconds === null ? '' : `, expected to start in ${counted(seconds, 'second')}`}`;
