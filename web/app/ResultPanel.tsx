/** A finished job: verdict, files, figures, pictures, rows. */
import { useEffect, useState } from 'preact/hooks';
import type { StatusReply } from '../../domain/schema/replies.ts';
import type { PageData } from '../logic/contract.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { ComparisonPanel } from './ComparisonPanel.tsx';
import { FilesPanel } from './FilesPanel.tsx';
import { MetricsPanel } from './MetricsPanel.tsx';
import { ModelPanel } from './ModelPanel.tsx';
import { MoreRowsPanel } from './MoreRowsPanel.tsx';
import type { Upload } from './memory.ts';
import { RowsPanel } from './RowsPanel.tsx';
import { readCsv, type Sheet } from './readCsv.ts';
import { VerdictPanel } from './VerdictPanel.tsx';
import { WithheldPanel } from './WithheldPanel.tsx';

const REPORT_DATA = '/report/{job_id}.json';

interface Props {
  api: Api;
  data: PageData;
  status: StatusReply;
  upload: Upload | undefined;
  onReleased(): void;
  onSampled(id: string): void;
  onLeave(): void;
}

export function ResultPanel({ api, data, status, upload, onReleased, onSampled, onLeave }: Props) {
  const { job_id: id, metrics } = status;
  const isWithheld = status.release === 'withheld';
  const mayHaveMore = !isWithheld && status.sample_of === undefined && data.paths.includes('/sample/{job_id}');
  const { file, made, error } = useResult(api, id, isWithheld);
  const real = useOriginal(upload?.file);
  return (
    <>
      {metrics && <VerdictPanel api={api} id={id} metrics={metrics} hasReport={data.paths.includes(REPORT_DATA)} />}
      {isWithheld && (
        <WithheldPanel api={api} id={id} reasons={metrics?.release?.reasons ?? []} onReleased={onReleased} />
      )}
      <FilesPanel api={api} data={data} id={id} file={file} isWithheld={isWithheld} error={error} onErased={onLeave} />
      {metrics && <MetricsPanel metrics={metrics} />}
      {made && upload && <ComparisonPanel columns={upload.reply.profile.columns} made={made} real={real} />}
      {made && <RowsPanel made={made} real={real} />}
      {mayHaveMore && <MoreRowsPanel api={api} data={data} id={id} onStarted={onSampled} />}
      {metrics && <ModelPanel metrics={metrics} progress={status.progress} />}
    </>
  );
}

interface Result {
  file: Blob | undefined;
  /** As much of it as pictures need. */
  made: Sheet | undefined;
  error: ApiError | undefined;
}

/** The synthetic table, fetched once it may be had. */
function useResult(api: Api, id: string, isWithheld: boolean): Result {
  const [file, setFile] = useState<Blob>();
  const [made, setMade] = useState<Sheet>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (isWithheld) return;
    api
      .file(`/download/${id}`)
      .then(async (blob) => {
        setFile(blob);
        setMade(await readCsv(blob));
      })
      .catch((caught) => setError(asApiError(caught)));
  }, [api, id, isWithheld]);
  return { file, made, error };
}

/** The uploaded file, where this tab still has it. A spreadsheet is not read here: its pictures come from the profile. */
function useOriginal(file: File | undefined): Sheet | undefined {
  const [sheet, setSheet] = useState<Sheet>();
  useEffect(() => {
    if (file?.name.toLowerCase().endsWith('.csv')) readCsv(file).then(setSheet, () => undefined);
  }, [file]);
  return sheet;
}
