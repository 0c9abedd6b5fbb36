/**
 * Leases of running attempts, renewed every `RENEW_MS`. Recovery only touches attempts whose lease has run out
 * or whose server is certainly gone:
 *
 *   start            renew  renew  renew            end
 *     |--- LEASE_MS ---|                             |
 *          |--- LEASE_MS ---|  …  server dies: restarted once as the next attempt, then failed (interrupted)
 *
 * A stopping server leaves its attempts as started, without a lease.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { INTERRUPTED } from '../../service/job/failures.ts';
import { type Attempt, slotOf } from '../../service/job/job.ts';
import { type Database, immediately } from './database.ts';
import { heldCharge, takeBack } from './sqliteLedger.ts';

export const LEASE_MS = 10_000;
export const RENEW_MS = 1000;

const leaseSchema = z.object({
  id: z.string(),
  attempt: z.int(),
  instance: z.string(),
  host: z.string(),
  pid: z.int(),
  until: z.int(),
});
type Lease = z.infer<typeof leaseSchema>;

const leftSchema = leaseSchema.pick({ id: true, attempt: true });

export class Leases {
  readonly #database: Database;
  readonly #owner: ProcessIdentity;

  constructor(database: Database, owner: ProcessIdentity = thisProcess) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Returns false if over or another server's. */
  renew({ jobId, attempt }: Attempt, now: number): boolean {
    const statement = this.#database.prepare(
      `UPDATE jobs SET lease_until = ?
       WHERE id = ? AND attempt = ? AND state IN ('started', 'running') AND lease_instance = ?`,
    );
    return Number(statement.run(now + LEASE_MS, jobId, attempt, this.#owner.instance).changes) > 0;
  }

  recover(now: number): Recovered {
    const recovered: Recovered = { restarted: this.#takeLeft(now), ended: [] };
    for (const lease of this.#active().filter((each) => each.until <= now || isGone(each, this.#owner))) {
      const attempt = { jobId: lease.id, attempt: lease.attempt };
      if (restartAttempt(this.#database, attempt, heldBy(this.#owner, now), lease)) {
        recovered.restarted.push({ ...attempt, attempt: attempt.attempt + 1 });
      } else if (this.#interrupt(lease, new Date(now).toISOString())) recovered.ended.push(attempt);
    }
    return recovered;
  }

  #takeLeft(now: number): Attempt[] {
    const { instance, host, pid, until } = heldBy(this.#owner, now);
    const taken = this.#database
      .prepare(
        `UPDATE jobs SET lease_instance = ?, lease_host = ?, lease_pid = ?, lease_until = ?
         WHERE state = 'started' AND lease_instance IS NULL RETURNING id, attempt`,
      )
      .all(instance, host, pid, until);
    return taken.map((row) => leftSchema.parse(row)).map(({ id, attempt }) => ({ jobId: id, attempt }));
  }

  #active(): Lease[] {
    const rows = this.#database
      .prepare(
        `SELECT id, attempt, lease_instance AS instance, lease_host AS host, lease_pid AS pid, lease_until AS until
         FROM jobs WHERE state IN ('started', 'running') AND lease_instance IS NOT NULL`,
      )
      .all();
    return rows.map((row) => leaseSchema.parse(row));
  }

  /** Condition: the lease as seen, so that a renewed one is not touched. */
  #interrupt(lease: Lease, at: string): boolean {
    return immediately(this.#database, () => {
      const held = heldCharge(this.#database, lease.id);
      const { changes } = this.#database
        .prepare(
          `UPDATE jobs SET state = 'failed', error = ?, ended_at = ?, last_event_at = ?, charge = NULL,
             lease_instance = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL
           WHERE id = ? AND attempt = ? AND state IN ('started', 'running') AND lease_instance = ? AND lease_until = ?`,
        )
        .run(JSON.stringify(INTERRUPTED), at, at, lease.id, lease.attempt, lease.instance, lease.until);
      if (Number(changes) === 0) return false;
      takeBack(this.#database, held);
      this.#database.prepare('DELETE FROM slots WHERE slot = ?').run(slotOf(lease.id, lease.attempt));
      return true;
    });
  }
}

export interface Recovered {
  /** These attempts need a process. */
  restarted: Attempt[];
  ended: Attempt[];
}

// Restarts as the next attempt, so that the old process can no longer write.

const MAX_RESTARTS = 1;

/** Null while waiting for a server. */
type Held = (ProcessIdentity & { until: number }) | null;

export const heldBy = (owner: ProcessIdentity, now: number): NonNullable<Held> => ({ ...owner, until: now + LEASE_MS });

/** started | running → started as the next attempt. Condition: not restarted before, and the lease `seen` if given. */
export function restartAttempt(
  database: Database,
  { jobId, attempt }: Attempt,
  held: Held,
  seen?: Pick<Lease, 'instance' | 'until'>,
): boolean {
  const next = attempt + 1;
  return immediately(database, () => {
    const { changes } = database
      .prepare(
        `UPDATE jobs SET state = 'started', attempt = ?, restarts = restarts + 1, progress = '[]',
           lease_instance = ?, lease_host = ?, lease_pid = ?, lease_until = ?
         WHERE id = ? AND attempt = ? AND state IN ('started', 'running') AND restarts < ?
           AND (? IS NULL OR (lease_instance = ? AND lease_until = ?))`,
      )
      .run(
        next,
        held?.instance ?? null,
        held?.host ?? null,
        held?.pid ?? null,
        held?.until ?? null,
        jobId,
        attempt,
        MAX_RESTARTS,
        seen?.instance ?? null,
        seen?.instance ?? null,
        seen?.until ?? null,
      );
    if (Number(changes) === 0) return false;
    database.prepare('UPDATE slots SET slot = ? WHERE slot = ?').run(slotOf(jobId, next), slotOf(jobId, attempt));
    database
      .prepare(`UPDATE callbacks SET attempt = ? WHERE job_id = ? AND attempt = ? AND state = 'waiting'`)
      .run(next, jobId, attempt);
    return true;
  });
}

export interface ProcessIdentity {
  /** Unique, even if a process id returns. */
  instance: string;
  /** Scope of process ids: host and Linux namespace. */
  host: string;
  pid: number;
}

export const thisProcess: ProcessIdentity = {
  instance: randomBytes(8).toString('hex'),
  host: `${hostname()} ${processNamespace()}`,
  pid: process.pid,
};

/** True only if certain: same host, and the id is free or reused by this process. */
export function isGone(owner: ProcessIdentity, self: ProcessIdentity = thisProcess): boolean {
  if (owner.host !== self.host || owner.instance === self.instance) return false;
  return owner.pid === self.pid || !isAlive(owner.pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !hasEnded(pid);
}

/** The state follows the bracketed name, which may contain any character. */
function hasEnded(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^\) [ZX] /.test(text.slice(text.lastIndexOf(')')));
  } catch {
    return false;
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
