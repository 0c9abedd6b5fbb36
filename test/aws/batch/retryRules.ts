/**
 * Whether Batch runs a job again: `evaluateOnExit` in order, the first rule of which every condition holds; where none
 * does, a failed run is repeated. A pattern matches whole, without regard to case, and may end in `*`.
 * https://docs.aws.amazon.com/batch/latest/APIReference/API_EvaluateOnExit.html
 */
import type { RetryStrategy } from './wire.ts';

export interface RunEnd {
  exitCode: number | undefined;
  reason: string;
  statusReason: string;
}

function matches(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  const [wanted, found] = [pattern.toLowerCase(), value.toLowerCase()];
  return wanted.endsWith('*') ? found.startsWith(wanted.slice(0, -1)) : found === wanted;
}

export function isRunAgain({ attempts, evaluateOnExit }: RetryStrategy, runs: number, end: RunEnd): boolean {
  if (runs >= attempts) return false;
  const rule = evaluateOnExit.find(
    ({ onExitCode, onReason, onStatusReason }) =>
      matches(onExitCode, end.exitCode === undefined ? '' : String(end.exitCode)) &&
      matches(onReason, end.reason) &&
      matches(onStatusReason, end.statusReason),
  );
  return rule === undefined || rule.action === 'RETRY';
}
