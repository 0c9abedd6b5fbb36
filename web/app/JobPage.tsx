/** One job, in whatever state it is. */
import { useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { type Api, ApiError } from './api.ts';
import { Problem } from './Problem.tsx';
import { ProgressPanel } from './ProgressPanel.tsx';
import { ResultPanel } from './ResultPanel.tsx';
import { SetupPanel } from './SetupPanel.tsx';
import { useStatus } from './useStatus.ts';
import { type UploadFound, useUpload } from './useUpload.ts';

interface Props {
  api: Api;
  data: PageData;
  id: string;
  onSampled(id: string): void;
  onLeave(): void;
}

export function JobPage({ api, data, id, onSampled, onLeave }: Props) {
  const { status, error, refresh } = useStatus(api, id);
  const [isChanging, setChanging] = useState(false);
  const found = useUpload(api, status);
  const { upload } = found;
  if (!status) {
    return (
      <section class="card" aria-label="Job">
        {error ? <Problem error={error} /> : <p>Looking for the job…</p>}
      </section>
    );
  }
  if (status.status === 'uploaded' || (status.status === 'failed' && isChanging)) {
    if (!upload) return <NoColumns {...found} />;
    const started = () => {
      setChanging(false);
      refresh();
    };
    return <SetupPanel api={api} data={data} upload={upload} onStarted={started} />;
  }
  if (status.status === 'done') {
    return (
      <ResultPanel
        api={api}
        data={data}
        status={status}
        upload={upload}
        onReleased={refresh}
        onSampled={onSampled}
        onLeave={onLeave}
      />
    );
  }
  if (status.status === 'failed') {
    const { code, message } = status.error ?? { code: 'failed', message: 'The job failed.' };
    return <Failed error={new ApiError(code, message)} onChange={() => setChanging(true)} />;
  }
  return <ProgressPanel api={api} id={id} status={status} error={error} onCancelled={refresh} />;
}

function Failed({ error, onChange }: { error: ApiError; onChange(): void }) {
  return (
    <section class="card" aria-label="Failed job">
      <h2>The job ended without a table</h2>
      <Problem error={error} />
      <div class="line">
        <button type="button" class="primary" onClick={onChange}>
          Change roles or options and start again
        </button>
        <a href="#start">Upload another file</a>
      </div>
    </section>
  );
}

const NoColumns = ({ error }: UploadFound) => (
  <section class="card" aria-label="Columns">
    {!error && <p>Asking for the columns…</p>}
    <Problem error={error}>
      <p>
        <a href="#start">Upload the file again</a> to choose roles and start.
      </p>
    </Problem>
  </section>
);
