/** One job, in whatever state it is. */

import { useEffect, useState } from 'preact/hooks';
import { JobFailedError, NotStartedError, type SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import type { PageData } from '../logic/contract.ts';
import { rememberUpload, type Upload, uploadOf } from './memory.ts';
import { Problem } from './Problem.tsx';
import { ProgressPanel } from './ProgressPanel.tsx';
import { ResultPanel } from './ResultPanel.tsx';
import { SetupPanel } from './SetupPanel.tsx';
import { type PageProblem, pageProblem, problemOf } from './service.ts';

interface Props {
  service: SyntheticTables;
  data: PageData;
  id: string;
  onSampled(id: string): void;
  onLeave(): void;
}

const UNKNOWN = { code: 'internal_error', message: 'The job failed.' };

export function JobPage({ service, data, id, onSampled, onLeave }: Props) {
  const { status, error, refresh } = useStatus(service, id);
  const [isChanging, setChanging] = useState(false);
  const found = useUpload(service, status);
  const { upload } = found;
  if (!status) {
    return (
      <section class="card" aria-label="Job">
        {error ? <Problem error={error} /> : <p>Loading the job…</p>}
      </section>
    );
  }
  const failure = status.status === 'failed' ? pageProblem(status.error ?? UNKNOWN) : undefined;
  if (status.status === 'uploaded' || (status.status === 'failed' && isChanging)) {
    if (!upload) return <NoColumns {...found} />;
    const started = () => {
      setChanging(false);
      refresh();
    };
    return <SetupPanel service={service} data={data} upload={upload} failure={failure} onStarted={started} />;
  }
  if (status.status === 'done') {
    return (
      <ResultPanel
        service={service}
        data={data}
        status={status}
        upload={upload}
        onReleased={refresh}
        onSampled={onSampled}
        onLeave={onLeave}
      />
    );
  }
  if (failure) return <Failed error={failure} onChange={() => setChanging(true)} />;
  return <ProgressPanel service={service} id={id} status={status} error={error} onCancelled={refresh} />;
}

function Failed({ error, onChange }: { error: PageProblem; onChange(): void }) {
  return (
    <section class="card" aria-label="Failed job">
      <h2>The job failed</h2>
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
