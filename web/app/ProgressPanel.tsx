import { useEffect, useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { logLines } from '../../packages/words/events.ts';
import { duration } from '../../packages/words/format.ts';
import { queueText } from '../../packages/words/wording.ts';
import { stagesOf, standingOf } from '../logic/stages.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

const WORDS = {
  made: { view: 'Generating', title: 'Generating your table' },
  judged: { view: 'Checking', title: 'Checking quality' },
} as const;

interface ProgressProps {
  service: SyntheticTables;
  id: string;
  status: StatusReply;
  table: string | undefined;
  error: PageProblem | undefined;
  onCancelled(): void;
}

export function ProgressPanel({ service, id, status, table, error, onCancelled }: ProgressProps) {
  const elapsed = useElapsed(service, id);
  const [refusal, setRefusal] = useState<PageProblem>();
  const [isStopping, setStopping] = useState(false);
  const title = useId();
  const standing = standingOf(status);
  const lines = logLines(status, 'page');
  const isComparison = status.compared_with !== undefined;
  const stages = stagesOf({ isComparison });
  const at = stages.indexOf(standing.stage);
  const { view, title: heading } = WORDS[isComparison ? 'judged' : 'made'];
  const isLost = refusal === undefined && error?.code === 'connection_failed';
  const cancel = async () => {
    setStopping(true);
    try {
      await service.cancel(id);
      onCancelled();
    } catch (caught) {
      setRefusal(problemOf(caught));
      setStopping(false);
    }
  };
  return (
    <section class="card" aria-labelledby={title}>
      <ViewHeading id={title} view={status.status === 'queued' ? 'Queued' : view} table={table}>
        {status.status === 'queued' ? 'Your table waits for its turn' : heading}
      </ViewHeading>
      <ol class="stages" aria-label="Stages">
        {stages.map((stage, place) => (
          <li
            key={stage}
            class={place < at ? 'over' : place === at ? 'now' : ''}
            aria-current={place === at ? 'step' : undefined}
          >
            {stage}
            {place < at && <span class="hidden"> (finished)</span>}
          </li>
        ))}
      </ol>
      <progress class="wide" aria-label="Progress of the job" max={1} value={standing.share} />
      <div class="line">
        <span class="big">{Math.round(standing.share * 100)} %</span>
        <span role="timer">{elapsed === undefined ? '' : `${duration(elapsed)} elapsed`}</span>
        <button type="button" onClick={cancel} disabled={isStopping}>
          {isStopping ? 'Stopping…' : 'Cancel job'}
        </button>
      </div>
      <p class="latest" aria-live="polite">
        {standing.stage}
        {status.queue ? (
          `: ${queueText(status.queue)}`
        ) : (
          <span aria-hidden="true">: {lines.at(-1) ?? 'starting…'}</span>
        )}
      </p>
      {isLost ? (
        <p role="alert">Connection lost. Trying again… Your job keeps running.</p>
      ) : (
        <Problem error={refusal ?? error} />
      )}
      <details>
        <summary>Full log</summary>
        <ol class="lines">
          {lines.map((line, place) => (
            <li key={place}>{line}</li>
          ))}
        </ol>
      </details>
      <p class="soft">
        You can close or reload this page: the job keeps running, and this address brings you back to it.
      </p>
    </section>
  );
}

/** Milliseconds by the visitor's clock; undefined until known. */
function useElapsed(service: SyntheticTables, id: string): number | undefined {
  const [start, setStart] = useState<number>();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const opened = Date.now();
    service
      .jobs({ limit: 100 })
      .then(({ jobs }) => jobs.find(({ job_id }) => job_id === id)?.started_at ?? null)
      .then((found) => setStart(found === null ? opened : Math.min(opened, Date.parse(found))))
      .catch(() => setStart(opened));
  }, [service, id]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return start === undefined ? undefined : Math.max(0, now - start);
}
