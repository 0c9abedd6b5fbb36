import { useEffect, useId, useState } from 'preact/hooks';
import { JobFailedError, NotStartedError, type SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import type { PageData } from '../logic/contract.ts';
import { type Earlier, judgedAgain, type Route } from '../logic/route.ts';
import { JudgedPanel } from './JudgedPanel.tsx';
import { Problem } from './Problem.tsx';
import { ProgressPanel } from './ProgressPanel.tsx';
import { ResultPanel } from './ResultPanel.tsx';
import { SetupPanel } from './SetupPanel.tsx';
import { type PageProblem, pageProblem, problemOf } from './service.ts';
import { type UploadFound, useJobOnce, useUpload } from './uploads.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  service: SyntheticTables;
  data: PageData;
  id: string;
  earlier: Earlier | undefined;
  onGo(route: Route): void;
}

const UNKNOWN = { code: 'internal_error', message: 'The job failed.' };

export function JobPage({ service, data, id, earlier, onGo }: Props) {
  const { status, error, refresh } = useStatus(service, id);
  const [isChanging, setChanging] = useState(false);
  // A sample has the upload of its model's job.
  const found = useUpload(service, status && (status.sample_of ?? status.job_id));
  const before = useJobOnce(service, earlier?.from);
  const { upload } = found;
  if (!status) {
    return (
      <section class="card" aria-label="Job">
        {error ? <Problem error={error} /> : <p>Loading the job…</p>}
      </section>
    );
  }
  const table = status.file_name ?? upload?.file?.name;
  const failure = status.status === 'failed' ? pageProblem(status.error ?? UNKNOWN) : undefined;
  if (status.status === 'uploaded' || (status.status === 'failed' && isChanging)) {
    if (!upload || before === 'loading') return <NoColumns {...found} />;
    const started = () => {
      setChanging(false);
      refresh();
    };
    return (
      <SetupPanel
        service={service}
        data={data}
        upload={upload}
        table={table}
        request={status.request ?? before?.request}
        earlier={earlier}
        failure={failure}
        onStarted={started}
      />
    );
  }
  if (status.status === 'done') {
    const shared = { service, data, status, table, upload, onGo };
    if (status.compared_with !== undefined) return <JudgedPanel {...shared} realId={status.compared_with} />;
    return <ResultPanel {...shared} onReleased={refresh} />;
  }
  if (failure) {
    const again = judgedAgain(status);
    const onChange = again ? () => onGo(again) : () => setChanging(true);
    return <Failed error={failure} table={table} result={again ? 'judged' : 'made'} onChange={onChange} />;
  }
  return <ProgressPanel service={service} id={id} status={status} table={table} error={error} onCancelled={refresh} />;
}

const FAILED_WORDS = {
  made: { title: 'The job failed', change: 'Change roles or options and try again' },
  judged: { title: 'The quality check failed', change: 'Change the tables or roles and try again' },
} as const;

const CANCELLED_WORDS = { title: 'Cancelled', change: 'Run again' };

interface FailedProps {
  error: PageProblem;
  table: string | undefined;
  result: keyof typeof FAILED_WORDS;
  onChange(): void;
}

function Failed({ error, table, result, onChange }: FailedProps) {
  const title = useId();
  const words = error.code === 'cancelled' ? CANCELLED_WORDS : FAILED_WORDS[result];
  return (
    <section class="card" aria-labelledby={title}>
      <ViewHeading id={title} view="Failed" table={table}>
        {words.title}
      </ViewHeading>
      <Problem error={error} />
      <div class="line">
        <button type="button" class="primary" onClick={onChange}>
          {words.change}
        </button>
        <a href="#start">Upload another file</a>
      </div>
    </section>
  );
}

const NoColumns = ({ error }: UploadFound) => (
  <section class="card" aria-label="Columns">
    {!error && <p>Loading the columns…</p>}
    <Problem error={error}>
      <p>
        <a href="#start">Upload the file again</a> to choose roles and start.
      </p>
    </Problem>
  </section>
);

interface Followed {
  status: StatusReply | undefined;
  error: PageProblem | undefined;
  refresh(): void;
}

/** Milliseconds between polls: initial and maximum. */
const POLL_MS = { first: 700, most: 8000 };
const RETRY_MS = 5000;

/** Retries after a lost connection; other errors stop polling. */
const isPassing = ({ code }: PageProblem) =>
  ['connection_failed', 'storage_unavailable', 'service_busy'].includes(code);

const isEnd = (caught: unknown) => caught instanceof JobFailedError || caught instanceof NotStartedError;

function useStatus(service: SyntheticTables, id: string): Followed {
  const [status, setStatus] = useState<StatusReply>();
  const [error, setError] = useState<PageProblem>();
  const [round, setRound] = useState(0);
  const refresh = () => setRound((before) => before + 1);
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const onProgress = (found: StatusReply) => {
      setStatus(found);
      setError(undefined);
    };
    const follow = async () => {
      try {
        await service.wait(id, { signal: left.signal, onProgress, pollMs: POLL_MS });
        isOver = true;
      } catch (caught) {
        if (left.signal.aborted) return;
        const problem = problemOf(caught);
        isOver = isEnd(caught) || !isPassing(problem);
        if (!isEnd(caught)) setError(problem);
        if (!isOver) timer = setTimeout(refresh, RETRY_MS);
      }
    };
    const onVisible = () => {
      if (document.visibilityState === 'visible' && !isOver) refresh();
    };
    void follow();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      left.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [service, id, round]);
  return { status, error, refresh };
}
