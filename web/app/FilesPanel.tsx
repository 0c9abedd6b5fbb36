import { useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import { bytes } from '../../packages/words/format.ts';
import type { PageData } from '../logic/contract.ts';
import { savedAs } from '../logic/names.ts';
import { Problem } from './Problem.tsx';
import { blobOf, type PageProblem, problemOf } from './service.ts';

interface Props {
  service: SyntheticTables;
  data: PageData;
  id: string;
  table: string | undefined;
  /** A separate report for sharing exists. */
  isForOwner: boolean;
  /** Undefined if there is nothing to download. */
  made: { file: Blob | undefined; error: PageProblem | undefined } | undefined;
  problem: PageProblem | undefined;
  /** Undefined if it cannot be run again. */
  again: { words: string; act(): void } | undefined;
  onErased(): void;
}

export function FilesPanel({ service, data, id, table, isForOwner, made, problem: earlier, again, onErased }: Props) {
  const [problem, setProblem] = useState<PageProblem>();
  const [isSure, setSure] = useState(false);
  const attempt = async (act: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await act();
    } catch (caught) {
      setProblem(problemOf(caught));
    }
  };
  const saveReport = () =>
    attempt(async () =>
      saveBlob(await blobOf(await service.report(id), 'text/html'), savedAs('report', 'html', table)),
    );
  const saveSharedReport = () =>
    attempt(async () =>
      saveBlob(
        await blobOf(await service.report(id, { for: 'sharing' }), 'text/html'),
        savedAs('report-for-sharing', 'html', table),
      ),
    );
  const saveReceipt = () =>
    attempt(async () => {
      const text = JSON.stringify(await service.receipt(id), null, 2);
      saveBlob(new Blob([text], { type: 'application/json' }), savedAs('receipt', 'json', table));
    });
  const erase = () =>
    attempt(async () => {
      await service.erase(id);
      onErased();
    });
  return (
    <section aria-label="Files">
      <div class="line">
        {made && !made.error && (
          <>
            <SaveTable file={made.file} table={table} />
            <OtherFormats service={service} formats={data.formats} id={id} table={table} attempt={attempt} />
          </>
        )}
        {data.paths.includes('/report/{job_id}') && (
          <button type="button" onClick={saveReport}>
            {isForOwner ? 'Download report (for the owner)' : 'Download report'}
          </button>
        )}
        {isForOwner && data.paths.includes('/report/{job_id}') && (
          <button type="button" onClick={saveSharedReport}>
            Download report for sharing
          </button>
        )}
        {data.paths.includes('/receipt/{job_id}') && (
          <button type="button" onClick={saveReceipt}>
            Download signed receipt
          </button>
        )}
        {again && (
          <button type="button" onClick={again.act}>
            {again.words}
          </button>
        )}
        {isSure ? (
          <span class="together">
            <button type="button" class="danger" onClick={erase}>
              Delete upload and result permanently
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep
            </button>
          </span>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Delete job…
          </button>
        )}
      </div>
      <Problem error={made?.error ?? earlier} />
      <Problem error={problem} />
    </section>
  );
}

const SaveTable = ({ file, table }: { file: Blob | undefined; table: string | undefined }) => (
  <button
    type="button"
    class="primary"
    disabled={!file}
    onClick={() => file && saveBlob(file, savedAs('synthetic', 'csv', table))}
  >
    {file ? `Download table (${bytes(file.size)})` : 'Loading the table…'}
  </button>
);

interface FormatsProps {
  service: SyntheticTables;
  formats: PageData['formats'];
  id: string;
  table: string | undefined;
  attempt(act: () => Promise<void>): Promise<void>;
}

function OtherFormats({ service, formats, id, table, attempt }: FormatsProps) {
  const [chosen, setChosen] = useState<string>();
  const select = useId();
  const format = formats.find(({ name }) => name === chosen) ?? formats[0];
  if (!format) return null;
  const { name, title, type } = format;
  const save = () =>
    attempt(async () => {
      const wanted = name === 'safe.csv' ? ({ safe: 'spreadsheet' } as const) : { format: name };
      saveBlob(await blobOf(await service.download(id, wanted), type), savedAs('synthetic', name, table));
    });
  return (
    <span class="together">
      <label for={select}>Format</label>
      <select id={select} value={name} onChange={({ currentTarget: { value } }) => setChosen(value)}>
        {formats.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <button type="button" onClick={save}>
        Download as {title}
      </button>
    </span>
  );
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has its own reference once the download begins.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
