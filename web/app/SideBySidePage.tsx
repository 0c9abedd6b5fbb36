import { useEffect, useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { type Section, sideBySide } from '../logic/sideBySide.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  service: SyntheticTables;
  ids: readonly [string, string];
}

const nameOf = (status: StatusReply): string => status.file_name ?? status.job_id;

export function SideBySidePage({ service, ids }: Props) {
  const [jobs, setJobs] = useState<[StatusReply, StatusReply]>();
  const [error, setError] = useState<PageProblem>();
  const [isShort, setShort] = useState(true);
  const id = useId();
  const [one, other] = ids;
  useEffect(() => {
    Promise.all([service.status(one), service.status(other)]).then(setJobs, (caught) => setError(problemOf(caught)));
  }, [service, one, other]);
  return (
    <section class="card" aria-labelledby={id}>
      <ViewHeading id={id} view="Side by side" table={jobs?.map(nameOf).join(' and ')}>
        Two results side by side
      </ViewHeading>
      <Problem error={error} />
      {!jobs && !error && <p>Loading…</p>}
      {jobs && (
        <>
          <label>
            <input type="checkbox" checked={isShort} onChange={(event) => setShort(event.currentTarget.checked)} /> Show
            differences only
          </label>
          {sideBySide(jobs).map((section) => (
            <SectionTable key={section.title} section={section} jobs={jobs} isShort={isShort} />
          ))}
        </>
      )}
    </section>
  );
}

interface TableProps {
  section: Section;
  jobs: readonly [StatusReply, StatusReply];
  isShort: boolean;
}

function SectionTable({ section: { title, pairs }, jobs, isShort }: TableProps) {
  const id = useId();
  // Verdicts are few, and equal ones matter too.
  const shown = isShort && title !== 'Verdicts' ? pairs.filter(({ differs }) => differs) : pairs;
  return (
    <>
      <h2 id={id}>{title}</h2>
      {shown.length === 0 ? (
        <p class="soft">No differences.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        <section class="scroll" tabIndex={0} aria-labelledby={id}>
          <table class="pair">
            <thead>
              <tr>
                <td />
                {jobs.map((job) => (
                  <th key={job.job_id} scope="col">
                    <a href={`#job=${job.job_id}`}>{nameOf(job)}</a>{' '}
                    <span class="soft small">{job.job_id.slice(0, 6)}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(({ name, texts, differs }) => (
                <tr key={name} class={differs ? 'differs' : ''}>
                  <th scope="row">
                    {name}
                    {differs && <span class="mark"> ≠</span>}
                  </th>
                  <td>{texts[0]}</td>
                  <td>{texts[1]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
