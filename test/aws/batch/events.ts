/**
 * Batch's state-change events on the bus of the emulator, in the shape that AWS documents.
 * https://docs.aws.amazon.com/batch/latest/userguide/batch_cwe_events.html
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clientSettings } from '../deployment/credentials.ts';
import { type BatchJob, detailOf } from './batchJob.ts';
import type { Faults } from './faults.ts';

export class EventSender {
  readonly #bus: EventBridgeClient;
  readonly #pending = new Set<Promise<void>>();

  constructor(endpoint: string) {
    this.#bus = new EventBridgeClient({ endpoint, ...clientSettings });
  }

  /** Sends the job's state as it is now, as often and as late as the faults say. */
  send(job: BatchJob, { eventCopies, eventDelayMs }: Faults): void {
    const entry = {
      Source: 'aws.batch',
      DetailType: 'Batch Job State Change',
      Time: new Date(),
      Resources: [job.jobArn],
      Detail: JSON.stringify(detailOf(job)),
    };
    for (let copy = 0; copy < eventCopies; copy++) {
      const sent = sleep(Math.random() * eventDelayMs)
        .then(() => this.#bus.send(new PutEventsCommand({ Entries: [entry] })))
        .then(() => {})
        .catch((error: unknown) => console.error('The event bus took no event:', String(error)))
        .finally(() => this.#pending.delete(sent));
      this.#pending.add(sent);
    }
  }

  /** Until everything that was sent so far is on the bus. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
