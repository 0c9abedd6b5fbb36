/** A finished job: verdict, file, figures, pictures, rows. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import type { StatusReply } from '../../domain/schema/replies.ts';
import type { PageData } from '../logic/contract.ts';
import { verdictOf } from '../logic/verdict.ts';
import { bytes, counted } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { ComparisonPanel } from './ComparisonPanel.tsx';
import { MetricsPanel } from './MetricsPanel.tsx';
import { ModelPanel } from './ModelPanel.tsx';
import type { Upload } from './memory.ts';
import { Problem } from './Problem.tsx';
import { RowsPanel } from './RowsPanel.tsx';
import { readCsv, type Sheet } from './readCsv.ts';
import { saveBlob } from './saveBlob.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

const REPORT = '/report/{job_id}';

interface Props {
  api: Api;
  data: PageData;
  status: StatusReply;
  upload: Upload | undefined;
  onLeave(): void;
}

export function ResultPanel({ api, data, status, upload, onLeave }: Props) {
  const { job_id: id, metrics } = status;
  const [file, setFile] = useState<Blob>();
  const [made, setMade] = useState<Sheet>();
  const [real, setReal] = useState<Sheet>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    api
      .file(`/download/${id}`)
      .then(async (blob) => {
        setFile(blob);
        setMade(await readCsv(blob));
      })
      .catch((caught) => setError(asApiError(caught)));
  }, [api, id]);
  const original = upload?.file;
  useEffect(() => {
    // A spreadsheet is not read here: its pictures come from the profile.
    if (original?.name.toLowerCase().endsWith('.csv')) readCsv(original).then(setReal, () => undefined);
  }, [original]);
  const fetchReport = async () => {
    try {
      saveBlob(await api.file(REPORT.replace('{job_id}', id)), 'report.html');
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <>
      {metrics && <VerdictCard metrics={metrics} />}
      <section class="card" aria-label="Files">
        <div class="line">
          <button
            type="button"
            class="primary"
            disabled={!file}
            onClick={() => file && saveBlob(file, 'synthetic_data.csv')}
          >
            {file ? `Download synthetic_data.csv (${bytes(file.size)})` : 'Fetching the table…'}
          </button>
          {data.paths.includes(REPORT) && (
            <button type="button" onClick={fetchReport}>
              Download the report
            </button>
          )}
          <EraseButton api={api} id={id} onErased={onLeave} onError={setError} />
        </div>
        <Problem error={error} />
      </section>
      {metrics && <MetricsPanel metrics={metrics} />}
      {made && upload && <ComparisonPanel columns={upload.reply.profile.columns} made={made} real={real} />}
      {made && <RowsPanel made={made} real={real} />}
      {metrics && <ModelPanel metrics={metrics} progress={status.progress} />}
    </>
  );
}

function VerdictCard({ metrics }: { metrics: JobMetrics }) {
  const heading = useHeadingFocus();
  const id = useId();
  const { tone, title, sentences } = verdictOf(metrics);
  return (
    <section class={`card verdict ${tone}`} aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>
        {counted(metrics.rows_generated, 'row')} of {counted(metrics.columns.length, 'column')} were made.
      </p>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {metrics.measured_on && <p class="soft">{metrics.measured_on.summary}</p>}
    </section>
  );
}

interface EraseProps {
  api: Api;
  id: string;
  onErased(): void;
  onError(error: ApiError): void;
}

function EraseButton({ api, id, onErased, onError }: EraseProps) {
  const [isSure, setSure] = useState(false);
  const erase = async () => {
    try {
      await api.erase(id);
      onErased();
    } catch (caught) {
      onError(asApiError(caught));
    }
  };
  if (!isSure) {
    return (
      <button type="button" onClick={() => setSure(true)}>
        Erase the job…
      </button>
    );
  }
  return (
    <span class="together">
      <button type="button" class="danger" onClick={erase}>
        Erase upload and result for good
      </button>
      <button type="button" onClick={() => setSure(false)}>
        Keep them
      </button>
    </span>
  );
}
