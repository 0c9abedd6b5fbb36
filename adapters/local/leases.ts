/**
 * Leases of running attempts: a server says every `RENEW_MS` that the jobs it runs are alive. Recovery touches attempts
 * whose lease has run out, or whose server is certainly gone, and no others.
 *
 *   start            renew  renew  renew            end
 *     |--- LEASE_MS ---|                             |
 *          |--- LEASE_MS ---|  …  server dies: the last lease runs out, the attempt becomes failed (interrupted)
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { INTERRUPTED } from '../../service/job/failures.ts';
import { type Attempt, slotOf } from '../../service/job/job.ts';
import { type Database, immediately } from './database.ts';

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

export class Leases {
  readonly #database: Database;
  readonly #owner: ProcessIdentity;

  constructor(database: Database, owner: ProcessIdentity = thisProcess) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Lengthens the lease of an attempt that runs here. False where the attempt is over, or is no longer ours. */
  renew({ jobId, attempt }: Attempt, now: number): boolean {
    const statement = this.#database.prepare(
      `UPDATE jobs SET lease_until = ?
       WHERE id = ? AND attempt = ? AND state IN ('started', 'running') AND lease_instance = ?`,
    );
    return Number(statement.run(now + LEASE_MS, jobId, attempt, this.#owner.instance).changes) > 0;
  }

  /** Ends every attempt that nobody runs any more and frees its slot. Returns those that it ended. */
  recover(now: number): Attempt[] {
    const left = this.#active().filter((lease) => lease.until <= now || isGone(lease, this.#owner));
    return left
      .filter((lease) => this.#interrupt(lease, new Date(now).toISOString()))
      .map(({ id, attempt }) => ({ jobId: id, attempt }));
  }

  #active(): Lease[] {
    const rows = this.#database
      .prepare(
        `SELECT id, attempt, lease_instance AS instance, lease_host AS host, lease_pid AS pid, lease_until AS until
         FROM jobs WHERE state IN ('started', 'running')`,
      )
      .all();
    return rows.map((row) => leaseSchema.parse(row));
  }

  /** Condition: still active, under the very lease that was seen. A lease renewed in between is not touched. */
  #interrupt(lease: Lease, at: string): boolean {
    return immediately(this.#database, () => {
      const { changes } = this.#database
        .prepare(
          `UPDATE jobs SET state = 'failed', error = ?, ended_at = ?, last_event_at = ?,
             lease_instance = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL
           WHERE id = ? AND attempt = ? AND state IN ('started', 'running') AND lease_instance = ? AND lease_until = ?`,
        )
        .run(JSON.stringify(INTERRUPTED), at, at, lease.id, lease.attempt, lease.instance, lease.until);
      if (Number(changes) === 0) return false;
      this.#database.prepare('DELETE FROM slots WHERE slot = ?').run(slotOf(lease.id, lease.attempt));
      return true;
    });
  }
}

// Who holds a lease or a temporary file, and whether that one is certainly gone.

export interface ProcessIdentity {
  /** Unlike any other, also where a process id comes back after a restart. */
  instance: string;
  /** Where process ids mean the same: the host and, on Linux, the process namespace. */
  host: string;
  pid: number;
}

export const thisProcess: ProcessIdentity = {
  instance: randomBytes(8).toString('hex'),
  host: `${hostname()} ${processNamespace()}`,
  pid: process.pid,
};

/** True only where it is certain: on the same host, a process id that is free, or that is ours under another instance. */
export function isGone(owner: ProcessIdentity, self: ProcessIdentity = thisProcess): boolean {
  if (owner.host !== self.host || owner.instance === self.instance) return false;
  return owner.pid === self.pid || !isAlive(owner.pid);
}

/** Whether a process of this id runs here; one that has ended and waits for its parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !hasEnded(pid);
}

/** The state that Linux reports: after the name, which stands in brackets and may hold any character. */
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
