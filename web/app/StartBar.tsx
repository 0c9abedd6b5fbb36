import { useId } from 'preact/hooks';
import type { EstimateReply } from '../../packages/contract/replies.ts';
import { roughTime } from '../../packages/words/format.ts';
import { Problem } from './Problem.tsx';
import type { PageProblem } from './service.ts';

interface Props {
  action: string;
  isStarting: boolean;
  /** Undefined if the job can start. */
  why: string | undefined;
  found: EstimateReply | undefined;
  /** Why the request was or would be refused. */
  error: PageProblem | undefined;
  onStart(): void;
}

/** Stays visible with constant size. */
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
