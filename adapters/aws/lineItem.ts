/** One item, so that a read is consistent. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { fromStore } from '../../packages/contract/errors.ts';
import { jobEstimateSchema } from '../../service/job/job.ts';
import type { JobLine, QueuedJob } from '../../service/ports.ts';
import { ITEMS } from './names.ts';
import { number, packJson, type RecordTable, setOf, text, unpackJson } from './recordTable.ts';

const JOB = 'job ';
const SERVED = 'served ';

const HAS_ROOM = 'attribute_not_exists(#waiting) OR size(#waiting) < :limit';

const queuedSchema = z.object({
  jobId: z.string(),
  attempt: z.int(),
  keyId: z.string(),
  queuedAt: z.string(),
  estimate: jobEstimateSchema,
});

export class LineItem {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  joining(job: QueuedJob, limit?: number): TransactWriteItem {
    return this.#table.updateOf(ITEMS.queue, {
      update: 'ADD #waiting :id SET #job = :job',
      ...(limit !== undefined && { condition: HAS_ROOM }),
      values: {
        ':id': setOf(job.jobId),
        ':job': packJson(queuedSchema.parse(job)),
        ...(limit !== undefined && { ':limit': number(limit) }),
      },
      names: { '#job': `${JOB}${job.jobId}` },
    });
  }

  leaving(jobId: string): TransactWriteItem {
    return this.#table.updateOf(ITEMS.queue, {
      update: 'DELETE #waiting :id REMOVE #job',
      values: { ':id': setOf(jobId) },
      names: { '#job': `${JOB}${jobId}` },
    });
  }

  served({ jobId, keyId }: QueuedJob, at: string): TransactWriteItem {
    return this.#table.updateOf(ITEMS.queue, {
      update: 'DELETE #waiting :id REMOVE #job SET #served = :at',
      values: { ':id': setOf(jobId), ':at': text(at) },
      names: { '#job': `${JOB}${jobId}`, '#served': `${SERVED}${keyId}` },
    });
  }

  async read(): Promise<JobLine> {
    const entries = Object.entries((await this.#table.get(ITEMS.queue)) ?? {});
    const jobs = entries.filter(([name]) => name.startsWith(JOB));
    const served = entries.filter(([name]) => name.startsWith(SERVED));
    return {
      jobs: fromStore(() => jobs.map(([, packed]) => queuedSchema.parse(unpackJson(packed)))),
      served: new Map(served.map(([name, at]) => [name.slice(SERVED.length), at.S ?? ''])),
    };
  }
}
