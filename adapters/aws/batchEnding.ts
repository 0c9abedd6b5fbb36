/** What the end of a Batch job means for the attempt that it ran, where the record does not say. */
import { EXIT, EXIT_FAILURES } from '../../domain/job/exitCodes.ts';
import { INTERNAL_ERROR, NO_COMPUTE, OUT_OF_MEMORY, RECLAIMED, VANISHED } from '../../domain/job/failures.ts';
import type { JobFailure } from '../../domain/job/job.ts';
import { crashed, KILLED, timedOut } from '../../domain/job/processEnding.ts';

/** How the process ends where its record was written: found with a record that is active, the record was lost. */
const RECORDED: number[] = [EXIT.done, EXIT.failed, EXIT.over];

/** Where the description is gone. */
const STANDARD_TIMEOUT_SECONDS = 7200;

/** What a process that was killed with SIGKILL leaves, most often by the kernel for want of memory. */
const EXIT_OF_SIGKILL = 137;

interface EndedContainer {
  exitCode?: number | undefined;
  reason?: string | undefined;
}

/** What Batch says of a job that ended: its description, or the summary in a list, which says less. */
export interface EndedJob {
  statusReason?: string | undefined;
  startedAt?: number | undefined;
  container?: EndedContainer | undefined;
  attempts?: { container?: EndedContainer | undefined }[] | undefined;
  timeout?: { attemptDurationSeconds?: number | undefined } | undefined;
}

export function failureOfBatchJob(job: EndedJob): JobFailure {
  const reason = job.statusReason ?? '';
  const container = job.attempts?.at(-1)?.container ?? job.container;
  const { exitCode } = container ?? {};
  if (/attempt duration exceeded timeout/i.test(reason))
    return timedOut(job.timeout?.attemptDurationSeconds ?? STANDARD_TIMEOUT_SECONDS);
  if (/OutOfMemory/i.test(container?.reason ?? '')) return OUT_OF_MEMORY;
  if (/^Host EC2|spot/i.test(reason)) return RECLAIMED;
  if (exitCode === undefined) return job.startedAt ? VANISHED : NO_COMPUTE;
  if (exitCode === EXIT_OF_SIGKILL) return KILLED;
  if (RECORDED.includes(exitCode)) return INTERNAL_ERROR;
  return EXIT_FAILURES[exitCode] ?? crashed(`code ${exitCode}`);
}
