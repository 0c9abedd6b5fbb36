/** The one button that starts a job, and what keeps it from being pressed, or how long the job would take. */
import { useId } from 'preact/hooks';
import type { EstimateReply } from '../../packages/contract/replies.ts';
import { roughTime } from '../../packages/words/format.ts';
import { Problem } from './Problem.tsx';
import type { PageProblem } from './service.ts';

interface Props {
  /** What the button says. */
  action: string;
  isStarting: boolean;
  /** Why the job cannot be started; undefined where it can. */
  why: string | undefined;
  found: EstimateReply | undefined;
  /** Why the service refused the request, or would refuse it. */
  error: PageProblem | undefined;
  onStart(): void;
}

/** It stays in sight, and what it says changes neither its size nor its place. */
export function StartBar({ action, isStarting, why, found, error, onStart }: Props) {
  const id = useId();
  const time = found ? `About ${roughTime(found.seconds.expected)}` : error ? '' : 'Estimating the time…';
  return (
    <div class="bar">
      <Problem error={error} />
      <button
        type="button"
        class="primary"
        disabled={isStarting || why !== undefined}
        aria-describedby={id}
        onClick={onStart}
      >
        {isStarting ? 'Starting…' : action}
      </button>
      <p id={id} class="soft" role="status">
        {why ?? time}
      </p>
    </div>
  );
}
