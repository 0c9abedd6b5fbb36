/** The rules on real local stores, in a folder of their own, with a reader, a queue and a clock that the test holds. */
import { openStores } from '../../adapters/local/openStores.ts';
import { encodeProfile, type Profile } from '../../packages/tables/profile/profile.ts';
import { inlineWork } from '../../service/heavyWork.ts';
import type { UploadedFile } from '../../service/job/uploadFile.ts';
import type { JobQueue, UploadReader } from '../../service/ports.ts';
import type { Service } from '../../service/service.ts';
import { type LogEntry, recordingLog } from './localQueue.ts';
import { profileOf } from './profiles.ts';
import { makeFolder } from './temporaryFolder.ts';

export interface TestClock {
  now(): Date;
  forward(hours: number): void;
}

export interface TestService extends Service {
  clock: TestClock;
  entries: LogEntry[];
  submitted: string[];
  folder: string;
  close(): void;
}

export function localService(
  overrides: { profile?: Profile; queue?: JobQueue; reader?: UploadReader } = {},
): TestService {
  const folder = makeFolder();
  const { jobs, objects, keys, idempotency, callbacks, clockMarks, signer, close } = openStores(folder.path);
  const { log, entries } = recordingLog();
  const submitted: string[] = [];
  let ids = 0;
  return {
    jobs,
    objects,
    keys,
    idempotency,
    callbacks,
    clockMarks,
    signer,
    log,
    entries,
    submitted,
    folder: folder.path,
    clock: testClock(),
    queue: overrides.queue ?? {
      submit: async (jobId, attempt) => void submitted.push(`${jobId}#${attempt}`),
      cancel: async () => {},
    },
    reader: overrides.reader ?? {
      async profile(bytes) {
        for await (const _ of bytes);
        return encodeProfile(overrides.profile ?? profileOf());
      },
    },
    work: inlineWork(objects),
    gpu: async () => ({ available: false, name: null }),
    newId: () => `id-${++ids}`,
    settings: {
      version: '0.1.0',
      maxRunningJobs: 3,
      maxUploadBytes: 1000,
      uploadRetentionHours: 24,
      resultRetentionHours: 720,
      orphanRetentionHours: 336,
    },
    close() {
      close();
      folder.remove();
    },
  };
}

function testClock(): TestClock {
  let time = Date.parse('2026-11-03T09:00:00Z');
  return {
    now: () => new Date(time),
    forward: (hours) => {
      time += hours * 3_600_000;
    },
  };
}

export async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

export const smallFile = (name = 'table.csv'): UploadedFile => ({ name, bytes: chunksOf('x,c\n', '1,a\n') });
