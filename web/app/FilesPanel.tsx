/** What can be fetched of a finished job, and its end. */
import { useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { bytes } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { OtherFormats } from './OtherFormats.tsx';
import { Problem } from './Problem.tsx';
import { saveBlob } from './saveBlob.ts';

interface Props {
  api: Api;
  data: PageData;
  id: string;
  file: Blob | undefined;
  isWithheld: boolean;
  /** Why the table could not be fetched. */
  error: ApiError | undefined;
  onErased(): void;
}

export function FilesPanel({ api, data, id, file, isWithheld, error, onErased }: Props) {
  const [problem, setProblem] = useState<ApiError>();
  const [isSure, setSure] = useState(false);
  const attempt = async (act: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await act();
    } catch (caught) {
      setProblem(asApiError(caught));
    }
  };
  const saveReport = () => attempt(async () => saveBlob(await api.file(`/report/${id}`), 'report.html'));
  const saveReceipt = () =>
    attempt(async () => {
      const text = JSON.stringify(await api.receipt(id), null, 2);
      saveBlob(new Blob([text], { type: 'application/json' }), 'receipt.json');
    });
  const erase = () =>
    attempt(async () => {
      await api.erase(id);
      onErased();
    });
  return (
    <section class="card" aria-label="Files">
      <div class="line">
        {!isWithheld && !error && (
          <button
            type="button"
            class="primary"
            disabled={!file}
            onClick={() => file && saveBlob(file, 'synthetic_data.csv')}
          >
            {file ? `Download synthetic_data.csv (${bytes(file.size)})` : 'Fetching the table…'}
          </button>
        )}
        {!isWithheld && !error && <OtherFormats api={api} id={id} attempt={attempt} />}
        {data.paths.includes('/report/{job_id}') && (
          <button type="button" onClick={saveReport}>
            Download the report
          </button>
        )}
        {data.paths.includes('/receipt/{job_id}') && (
          <button type="button" onClick={saveReceipt}>
            Download the signed receipt
          </button>
        )}
        {isSure ? (
          <span class="together">
            <button type="button" class="danger" onClick={erase}>
              Erase upload and result for good
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep them
            </button>
          </span>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Erase the job…
          </button>
        )}
      </div>
      <Problem error={error} />
      <Problem error={problem} />
    </section>
  );
}
