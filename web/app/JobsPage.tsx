/** The jobs of this key, the newest first. */
import { useCallback, useEffect, useId, useState } from 'preact/hooks';
import type { JobsReply } from '../../domain/schema/replies.ts';
import { bytes, counted, duration } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { forgetJob } from './memory.ts';
import { Problem } from './Problem.tsx';

type Job = JobsReply['jobs'][number];

const REFRESH_MS = 5000;

const STATE_WORDS: Record<Job['status'], string> = {
  uploaded: 'uploaded, not started',
  started: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

const isActive = ({ status }: Job) => status === 'started' || status === 'running';

export function JobsPage({ api }: { api: Api }) {
  const [jobs, setJobs] = useState<Job[]>();
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<ApiError>();
  const id = useId();
  const load = useCallback(async () => {
    try {
      const page = await api.jobs();
      setJobs(page.jobs);
      setNext(page.next);
      setError(undefined);
    } catch (caught) {
      setError(asApiError(caught));
    }
  }, [api]);
  useEffect(() => {
    void load();
  }, [load]);
  const hasActive = jobs?.some(isActive) ?? false;
  useEffect(() => {
    if (!hasActive) return;
    const timer = setInterval(load, REFRESH_MS);
    return () => clearInterval(timer);
  }, [hasActive, load]);
  const more = async () => {
    if (next === null) return;
    try {
      const page = await api.jobs(next);
      setJobs([...(jobs ?? []), ...page.jobs]);
      setNext(page.next);
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>My jobs</h2>
      <Problem error={error} />
      {!jobs && !error && <p>Asking…</p>}
      {jobs?.length === 0 && (
        <p>
          None yet. <a href="#start">Upload a table</a> to make one.
        </p>
      )}
      <ul class="jobs" aria-label="Jobs">
        {jobs?.map((job) => (
          <JobRow key={job.job_id} api={api} job={job} onChanged={load} />
        ))}
      </ul>
      {next !== null && (
        <button type="button" onClick={more}>
          Show older jobs
        </button>
      )}
    </section>
  );
}

function JobRow({ api, job, onChanged }: { api: Api; job: Job; onChanged(): void }) {
  const [error, setError] = useState<ApiError>();
  const [isSure, setSure] = useState(false);
  const act = async (action: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await action();
      onChanged();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  const erase = () =>
    act(async () => {
      await api.erase(job.job_id);
      forgetJob(job.job_id);
    });
  return (
    <li>
      <div>
        <strong class="breaks">{job.file_name}</strong>
        <div class="soft small">
          {bytes(job.file_bytes)}, {new Date(job.created_at).toLocaleString()}
        </div>
      </div>
      <div>
        <span class={`state ${job.status}`}>{STATE_WORDS[job.status]}</span>
        <div class="soft small breaks">{whatOf(job)}</div>
      </div>
      <div class="line">
        <a class="button" href={`#job=${job.job_id}`}>
          Open<span class="hidden"> the job of {job.file_name}</span>
        </a>
        {isActive(job) && (
          <button type="button" onClick={() => act(() => api.cancel(job.job_id))}>
            Cancel<span class="hidden"> the job of {job.file_name}</span>
          </button>
        )}
        {isSure ? (
          <>
            <button type="button" class="danger" onClick={erase}>
              Erase it for good<span class="hidden">: the job of {job.file_name}</span>
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Erase…<span class="hidden"> the job of {job.file_name}</span>
          </button>
        )}
      </div>
      <Problem error={error} />
    </li>
  );
}

function whatOf({ status, error, rows_generated, started_at, ended_at, progress }: Job): string {
  if (status === 'failed') return error?.message ?? '';
  if (status !== 'done') return progress ?? '';
  const took = started_at && ended_at ? ` in ${duration(Date.parse(ended_at) - Date.parse(started_at))}` : '';
  return rows_generated === null ? '' : `${counted(rows_generated, 'row')}${took}`;
}
