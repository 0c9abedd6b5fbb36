/** Looks at slots and records of a data folder all the time, in one read of the database at a time. */
import { openDatabase } from '../../adapters/local/database.ts';

export interface Samples {
  samples: number;
  mostSlots: number;
  mostActive: number;
  /** Looks at which an active job held no slot. */
  withoutSlot: number;
}

export interface Sampler {
  stop(): Promise<Samples>;
}

const LOOK = `SELECT (SELECT count(*) FROM slots) AS slots, count(*) AS active,
    sum(NOT EXISTS (SELECT 1 FROM slots WHERE slot = id || '#' || attempt)) AS without
  FROM jobs WHERE state IN ('started', 'running')`;

export function sampleSlots(dataDir: string): Sampler {
  const database = openDatabase(dataDir);
  const look = database.prepare(LOOK);
  const found: Samples = { samples: 0, mostSlots: 0, mostActive: 0, withoutSlot: 0 };
  let stopped = false;
  const looking = (async () => {
    while (!stopped) {
      const row = look.get();
      found.samples += 1;
      found.mostSlots = Math.max(found.mostSlots, Number(row?.slots));
      found.mostActive = Math.max(found.mostActive, Number(row?.active));
      found.withoutSlot += Number(row?.without ?? 0) > 0 ? 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    database.close();
  })();
  return {
    async stop() {
      stopped = true;
      await looking;
      return found;
    },
  };
}
