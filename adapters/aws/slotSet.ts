/** The slots that are taken: one item with a set of names, and beside it when each was taken and by which call. */
import { randomBytes } from 'node:crypto';
import { jobOfSlot } from '../../domain/job/job.ts';
import { ITEMS } from '../../domain/job/recordNames.ts';
import { number, setOf, text } from './attributes.ts';
import { NOT_ACTIVE, valuesIn } from './conditions.ts';
import { jobItemKey } from './jobItem.ts';
import type { RecordTable } from './recordTable.ts';

const FREE = '(attribute_not_exists(#running) OR size(#running) < :limit) AND NOT contains(#running, :name)';

export const HAS_SLOT = 'contains(#running, :name)';

const takenName = (slot: string): string => `taken ${slot}`;

export class SlotSet {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  async take(slot: string, limit: number): Promise<'taken' | 'held' | 'full'> {
    const token = randomBytes(6).toString('base64url');
    const outcome = await this.#table.update(ITEMS.slots, {
      update: 'ADD #running :set SET #taken = :taken',
      condition: FREE,
      values: {
        ':set': setOf(slot),
        ':name': text(slot),
        ':limit': number(limit),
        ':taken': { M: { at: text(new Date().toISOString()), by: text(token) } },
      },
      names: { '#taken': takenName(slot) },
    });
    if (outcome.held || outcome.old?.[takenName(slot)]?.M?.by?.S === token) return 'taken';
    return outcome.old?.running?.SS?.includes(slot) ? 'held' : 'full';
  }

  /** In one transaction with the condition that the attempt is not active. */
  async release(slot: string): Promise<void> {
    const { jobId, attempt } = jobOfSlot(slot);
    await this.#table.transact([
      this.#table.checkOf(jobItemKey(jobId), {
        condition: NOT_ACTIVE,
        values: { ':attempt': number(attempt), ...valuesIn(NOT_ACTIVE) },
      }),
      this.#table.updateOf(ITEMS.slots, {
        update: 'DELETE #running :set REMOVE #taken',
        values: { ':set': setOf(slot) },
        names: { '#taken': takenName(slot) },
      }),
    ]);
  }

  async names(): Promise<string[]> {
    return [...(await this.times()).keys()].sort();
  }

  /** When (ms) each slot was taken, by the clock of whoever took it. */
  async times(): Promise<Map<string, number>> {
    const item = await this.#table.get(ITEMS.slots);
    const slots = item?.running?.SS ?? [];
    return new Map(slots.map((slot) => [slot, Date.parse(item?.[takenName(slot)]?.M?.at?.S ?? '')]));
  }
}
