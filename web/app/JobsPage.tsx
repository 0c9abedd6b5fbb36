import { useCallback, useEffect, useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { ListedJob } from '../../packages/contract/replies.ts';
import { entryText } from '../../packages/words/events.ts';
import { bytes, duration } from '../../packages/words/format.ts';
import { counted } from '../../packages/words/wording.ts';
import { hashOf } from '../logic/route.ts';
import { forgetJob } from './memory.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, pageProblem, problemOf } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

const REFRESH_MS = 5000;
const PAGE = 20;

const STATE_WORDS: Record<ListedJob['status'], string> = {
  uploaded: 'not started',
  queued: 'waits for its turn',
  started: 'starting',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

const isActive = ({ status }: ListedJob) => status === 'queued' || status === 'started' || status === 'running';

/** Polls the newest jobs while one is active; `more` adds older ones. */
function useJobs(service: SyntheticTables) {
  const [jobs, setJobs] = useState<ListedJob[]>();
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<PageProblem>();
  const load = useCallback(async () => {
    try {
      const page = await service.jobs({ limit: PAGE });
      setJobs(page.jobs);
      setNext(page.next);
      setError(undefined);
    } catch (caught) {
      setError(problemOf(caught));
    }
  }, [service]);
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
      const page = await service.jobs({ limit: PAGE, after: next });
      setJobs([...(jobs ?? []), ...page.jobs]);
      setNext(page.next);
    } catch (caught) {
      setError(problemOf(caught));
    }
  };
  return { jobs, error, load, hasMore: next !== null, more };
}

export function JobsPage({ service }: { service: SyntheticTables }) {
  const { jobs, error, load, hasMore, more } = useJobs(service);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <ViewHeading id={id} view="My jobs">
        My jobs
      </ViewHeading>
      <Problem error={error} />
      {!jobs && !error && <p>Loading…</p>}
      {jobs?.length === 0 && (
        <p>
          No jobs yet. <a href="#start">Upload a table</a> to start one.
        </p>
      )}
      <ul class="jobs" aria-label="Jobs">
        {jobs?.map((job) => (
          <JobRow
            key={job.job_id}
            service={service}
            job={job}
            isChosen={chosen.includes(job.job_id)}
            onChosen={(isChosen) => setChosen(choose(chosen, job.job_id, isChosen))}
            onChanged={load}
          />
        ))}
      </ul>
      {jobs && jobs.filter(({ status }) => status === 'done').length > 1 && <SideBySideBar chosen={chosen} />}
      {hasMore && (
        <button type="button" onClick={more}>
          Show older jobs
        </button>
      )}
    </section>
  );
}

const choose = (chosen: readonly string[], id: string, isChosen: boolean): string[] =>
  [...chosen.filter((one) => one !== id), ...(isChosen ? [id] : [])].slice(-2);

function SideBySideBar({ chosen }: { chosen: readonly string[] }) {
  const [one, other] = chosen;
  return (
    <div class="bar">
      {one !== undefined && other !== undefined ? (
        <a class="button" href={hashOf({ at: 'sideBySide', ids: [one, other] })}>
          Show the two side by side
        </a>
      ) : (
        <p class="soft">Select two finished jobs to see them side by side.</p>
      )}
    </div>
  );
}

interface RowProps {
  service: SyntheticTables;
  job: ListedJob;
  /** Selected for comparison. */
  isChosen: boolean;
  onChosen(isChosen: boolean): void;
  onChanged(): void;
}

function JobRow({ service, job, isChosen, onChosen, onChanged }: RowProps) {
  const [error, setError] = useState<PageProblem>();
  const [isSure, setSure] = useState(false);
  const act = async (action: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await action();
      onChanged();
    } catch (caught) {
      setError(problemOf(caught));
    }
  };
  const erase = () =>
    act(async () => {
      await service.erase(job.job_id);
      forgetJob(job.job_id);
    });
  return (
    <li>
      <div>
        <strong class="breaks">{job.file_name}</strong>
        {job.status === 'done' && (
          <label class="small">
            <input type="checkbox" checked={isChosen} onChange={(event) => onChosen(event.currentTarget.checked)} />{' '}
            Side by side<span class="hidden">: the job of {job.file_name}</span>
          </label>
        )}
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
          <button type="button" onClick={() => act(() => service.cancel(job.job_id))}>
            Cancel<span class="hidden"> the job of {job.file_name}</span>
          </button>
        )}
        {isSure ? (
          <>
            <button type="button" class="danger" onClick={erase}>
              Delete permanently<span class="hidden">: the job of {job.file_name}</span>
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Delete…<span class="hidden"> the job of {job.file_name}</span>
          </button>
        )}
      </div>
      <Problem error={error} />
    </li>
  );
}

function whatOf(job: ListedJob): string {
  const { status, error, rows_generated, started_at, ended_at, event, progress, compared_with } = job;
  if (status === 'failed') return error ? pageProblem(error).message : '';
  if (status !== 'done') return event ? entryText(event, 'page') : (progress ?? '');
  const took = started_at && ended_at ? ` in ${duration(Date.parse(ended_at) - Date.parse(started_at))}` : '';
  const what = compared_with === undefined ? '' : 'quality check: ';
  return rows_generated === null ? '' : `${what}${counted(rows_generated, 'row')}${took}`;
}
