/** Words that messages and warnings share. */

import { MIN_COUNT } from '../contract/problems.ts';
import type { QueuePlace } from '../contract/replies.ts';

const LONGEST_QUOTE = 60;

/** The text in quotes, cut where it is long; line breaks and quotes inside it shown by their escapes. */
export function quoted(text: string): string {
  const shown = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return JSON.stringify(shown);
}

/** "1 row", "2 rows", "1,200 rows". */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${withCommas(count)} ${count === 1 ? noun : nouns}`;
}

/** A count of real rows for those who may not know a small one: "fewer than 20 rows". */
export const countedRoughly = (count: number, noun: string): string =>
  count < MIN_COUNT ? `fewer than ${MIN_COUNT} ${noun}s` : counted(count, noun);

/** A whole number with its digits in groups of three. */
export const withCommas = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** "a, b and c", or "a, b and 12 more" where there are more than `most`. */
export function listed(items: readonly string[], most = 10): string {
  const shown = items.slice(0, most);
  if (items.length > most) return `${shown.join(', ')} and ${withCommas(items.length - most)} more`;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** A share of one in percent: "19.9 %", "below 0.1 %". */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  if (share > 0 && text === '0.0') return 'below 0.1 %';
  if (share < 1 && text === '100.0') return 'over 99.9 %';
  return `${text.replace(/\.0$/, '')} %`;
}

/** What is done with a column of keys, whatever its role. */
export const keyNote = (name: string): string =>
  `Column ${quoted(name)} has keys: new ones are generated, unrelated to the other columns.`;

/** For the owner of a private table, most of whose rows an earlier private table was made from as well. */
export const sharedRowsNote = ({ share, job_id, at }: { share: number; job_id: string; at: string }): string =>
  `About ${percent(share)} of the rows of this table were already used for private tables (job ${job_id}, ${at.slice(0, 10)}). Each table has a budget of its own, but for a person in both the costs add up: divide one budget among versions of a table.`;

/** The words of a name; of one that a later version added, the name itself. */
export const wordsFor = <Words>(table: Readonly<Record<string, Words>>, name: string): Words | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A job that waits for a slot: where it stands, and for how long. */
export const queueText = ({ position, seconds }: QueuePlace): string =>
  `Waiting for a free slot: number ${position} in the queue${seconds === null ? '' : `, expected to start in ${counted(seconds, 'second')}`}`;
