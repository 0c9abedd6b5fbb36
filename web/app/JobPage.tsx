/** One job, in whatever state it is. */

import { useEffect, useId, useState } from 'preact/hooks';
import { JobFailedError, NotStartedError, type SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { logLines } from '../../packages/words/events.ts';
import { duration } from '../../packages/words/format.ts';
import { queueText } from '../../packages/words/wording.ts';
import type { PageData } from '../logic/contract.ts';
import type { Earlier, Route } from '../logic/route.ts';
import { STAGES, standingOf } from '../logic/stages.ts';
import { rememberUpload, type Upload, uploadOf } from './memory.ts';
import { Problem } from './Problem.tsx';
import { ResultPanel } from './ResultPanel.tsx';
import { SetupPanel } from './SetupPanel.tsx';
import { type PageProblem, pageProblem, problemOf } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  service: SyntheticTables;
  data: PageData;
  id: string;
  /** What the job is to be set up from. */
  earlier: Earlier | undefined;
  onGo(route: Route): void;
}

const UNKNOWN = { code: 'internal_error', message: 'The job failed.' };

export function JobPage({ service, data, id, earlier, onGo }: Props) {
  const { status, error, refresh } = useStatus(service, id);
  const [isChanging, setChanging] = useState(false);
  const found = useUpload(service, status);
  const before = useEarlierRequest(service, earlier);
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
        request={status.request ?? before}
        earlier={earlier}
        failure={failure}
        onStarted={started}
      />
    );
  }
  if (status.status === 'done') {
    return (
      <ResultPanel
        service={service}
        data={data}
        status={status}
        table={table}
        upload={upload}
        onReleased={refresh}
        onGo={onGo}
      />
    );
  }
  if (failure) return <Failed error={failure} table={table} onChange={() => setChanging(true)} />;
  return <ProgressPanel service={service} id={id} status={status} table={table} error={error} onCancelled={refresh} />;
}

interface FailedProps {
  error: PageProblem;
  table: string | undefined;
  onChange(): void;
}

function Failed({ error, table, onChange }: FailedProps) {
  const title = useId();
  return (
    <section class="card" aria-labelledby={title}>
      <ViewHeading id={title} view="Failed" table={table}>
        The job failed
      </ViewHeading>
      <Problem error={error} />
      <div class="line">
        <button type="button" class="primary" onClick={onChange}>
          Change roles or options and try again
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

// What the service knows of a job's columns: from the answer to the upload, or requested again.

interface UploadFound {
  upload: Upload | undefined;
  /** Why there is none: the upload has been erased, say. */
  error: PageProblem | undefined;
}

/** A sample has the upload of the job whose model made it. Nothing is asked for before the status is there. */
function useUpload(service: SyntheticTables, status: StatusReply | undefined): UploadFound {
  const id = status && (status.sample_of ?? status.job_id);
  const [found, setFound] = useState<Upload>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    if (id === undefined || uploadOf(id)) return;
    service
      .columns(id)
      .then((reply) => {
        const upload = { reply, file: undefined };
        rememberUpload(upload);
        setFound(upload);
      })
      .catch((caught) => setError(problemOf(caught)));
  }, [service, id]);
  return { upload: id === undefined ? undefined : (uploadOf(id) ?? found), error };
}

// What the job that another one is set up from had asked for.

function useEarlierRequest(service: SyntheticTables, earlier: Earlier | undefined): StatusReply['request'] | 'loading' {
  const [request, setRequest] = useState<StatusReply['request'] | 'loading'>(earlier ? 'loading' : undefined);
  useEffect(() => {
    if (!earlier) return;
    service.status(earlier.from).then(
      (status) => setRequest(status.request),
      () => setRequest(undefined),
    );
  }, [service, earlier?.from]);
  return request;
}

// A job's status, asked for again and again until it ends.

interface Followed {
  status: StatusReply | undefined;
  error: PageProblem | undefined;
  /** Asks at once, then keeps polling. */
  refresh(): void;
}

/** Milliseconds between two questions: at first, and at most. */
const POLL_MS = { first: 700, most: 8000 };
/** After a lost connection. */
const RETRY_MS = 5000;

/** A lost connection is tried again; every other error stops the asking. */
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

// A running job: stages, bar, elapsed time, log.

interface ProgressProps {
  service: SyntheticTables;
  id: string;
  status: StatusReply;
  table: string | undefined;
  /** Why the latest question was not answered. */
  error: PageProblem | undefined;
  onCancelled(): void;
}

function ProgressPanel({ service, id, status, table, error, onCancelled }: ProgressProps) {
  const elapsed = useElapsed(service, id);
  const [refusal, setRefusal] = useState<PageProblem>();
  const [isStopping, setStopping] = useState(false);
  const title = useId();
  const standing = standingOf(status.status, status.events);
  const lines = logLines(status, 'page');
  const at = STAGES.indexOf(standing.stage);
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
      <ViewHeading id={title} view={status.status === 'queued' ? 'Queued' : 'Generating'} table={table}>
        {status.status === 'queued' ? 'Your table waits for its turn' : 'Generating your table'}
      </ViewHeading>
      <ol class="stages" aria-label="Stages">
        {STAGES.map((stage, place) => (
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
      <Problem error={refusal ?? error} />
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

/** Milliseconds since the service started the job, by the visitor's clock; undefined until the start is known. */
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
