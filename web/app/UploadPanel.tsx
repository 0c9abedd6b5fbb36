/** A file is chosen or dropped, and sent with a bar. */
import { useId, useRef, useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { bytes, percent } from '../logic/words.ts';
import { type Api, ApiError, asApiError } from './api.ts';
import { rememberUpload } from './memory.ts';
import { Problem } from './Problem.tsx';

const TYPES = ['.csv', '.xlsx', '.xls'];

/** Why the file need not be sent at all; undefined where it is to be tried. */
function refusalOf(file: File, most: number): ApiError | undefined {
  if (!TYPES.some((type) => file.name.toLowerCase().endsWith(type))) {
    return new ApiError(
      'unsupported_file_type',
      `"${file.name}" is no ${TYPES.join(', ')} file. Save the table as CSV or as a spreadsheet.`,
    );
  }
  if (file.size > most) {
    const found = `"${file.name}" has ${bytes(file.size)}; ${bytes(most)} is the most.`;
    return new ApiError('file_too_large', `${found} Leave out columns or rows that you do not need.`);
  }
  return file.size === 0
    ? new ApiError('empty_file', `"${file.name}" is empty. Choose a file with a header and rows.`)
    : undefined;
}

interface Props {
  api: Api;
  data: PageData;
  onUploaded(jobId: string): void;
}

export function UploadPanel({ api, data, onUploaded }: Props) {
  const [sending, setSending] = useState<{ name: string; size: number; share: number }>();
  const [error, setError] = useState<ApiError>();
  const [isOver, setOver] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const id = useId();

  const send = async (file: File | undefined) => {
    if (!file || sending) return;
    const refusal = refusalOf(file, data.maxUploadBytes);
    setError(refusal);
    if (refusal) return;
    stop.current = new AbortController();
    const show = (share: number) => setSending({ name: file.name, size: file.size, share });
    show(0);
    try {
      const reply = await api.upload(file, show, stop.current.signal);
      rememberUpload({ reply, file });
      onUploaded(reply.job_id);
    } catch (caught) {
      setError(asApiError(caught));
      setSending(undefined);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer?.files[0]);
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Your table</h2>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra way for the mouse; the input within serves the keyboard. */}
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <label for={id}>Drop a file here, or choose one</label>
        <input
          id={id}
          type="file"
          accept={TYPES.join(',')}
          disabled={sending !== undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => send(event.currentTarget.files?.[0])}
        />
        <p id={`${id}-hint`} class="soft">
          CSV or spreadsheet ({TYPES.join(', ')}), a header and one row for each record, at most{' '}
          {bytes(data.maxUploadBytes)}.
        </p>
      </div>
      {sending && <Sending {...sending} onStop={() => stop.current?.abort()} />}
      <Problem error={error} />
    </section>
  );
}

function Sending({ name, size, share, onStop }: { name: string; size: number; share: number; onStop(): void }) {
  const isSent = share >= 1;
  return (
    <div class="line" role="status">
      <span>{isSent ? `Reading "${name}"…` : `Sending "${name}" (${bytes(size)}): ${percent(share)}`}</span>
      <progress aria-label="Upload" max={1} {...(!isSent && { value: share })} />
      <button type="button" class="quiet" onClick={onStop}>
        Stop
      </button>
    </div>
  );
}
