/** A file is chosen, dropped, or taken from the service's own example, and uploaded with a progress bar. */
import { useId, useRef, useState } from 'preact/hooks';
import { knownExtension, UPLOAD } from '../../packages/contract/files.ts';
import { readAsButton, UPLOAD_ENDINGS } from '../../packages/words/files.ts';
import { bytes } from '../../packages/words/format.ts';
import { percent } from '../../packages/words/wording.ts';
import type { PageData } from '../logic/contract.ts';
import { rememberUpload } from './memory.ts';
import { Problem } from './Problem.tsx';
import { fetchWithProgress, type PageProblem, pageProblem, problemOf, serviceFor } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

/** Why the file need not be sent at all; undefined where it is to be tried. */
function refusalOf({ name, size }: File, max_bytes: number): PageProblem | undefined {
  if (!knownExtension(name)) {
    const extension = /\.[^.]+$/.exec(name)?.[0] ?? null;
    const params = { reason: 'file_extension_unknown', file_name: name, extension, known: [...UPLOAD.extensions] };
    return pageProblem({ code: 'unsupported_file_type', params });
  }
  if (size > max_bytes) return pageProblem({ code: 'file_too_large', params: { reason: 'file_too_large', max_bytes } });
  return size === 0 ? pageProblem({ code: 'empty_file', params: { reason: 'file_has_no_bytes' } }) : undefined;
}

interface Props {
  apiKey: string;
  data: PageData;
  onUploaded(jobId: string): void;
}

export function UploadPanel({ apiKey, data, onUploaded }: Props) {
  const [sending, setSending] = useState<{ name: string; size: number; share: number }>();
  const [error, setError] = useState<PageProblem>();
  const [refused, setRefused] = useState<File>();
  const [isOver, setOver] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const id = useId();

  const send = async (file: File | undefined, encoding?: string) => {
    if (!file || sending) return;
    const refusal = refusalOf(file, data.maxUploadBytes);
    setError(refusal);
    setRefused(file);
    if (refusal) return;
    stop.current = new AbortController();
    const show = (share: number) => setSending({ name: file.name, size: file.size, share });
    show(0);
    try {
      const { signal } = stop.current;
      const reply = await serviceFor(apiKey, fetchWithProgress(show)).upload(file, file.name, { signal, encoding });
      rememberUpload({ reply, file });
      onUploaded(reply.job_id);
    } catch (caught) {
      if (!stop.current.signal.aborted) setError(problemOf(caught));
      setSending(undefined);
    }
  };
  const tryExample = async () => {
    const { path, name } = data.example;
    try {
      const answer = await fetch(path);
      await send(new File([await answer.blob()], name, { type: 'text/csv' }));
    } catch {
      setError(pageProblem({ code: 'connection_failed', params: { reason: 'no_answer' } }));
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer?.files[0]);
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <ViewHeading id={`${id}-title`} view="New table">
        Upload a table
      </ViewHeading>
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
          accept={UPLOAD.extensions.join(',')}
          disabled={sending !== undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => send(event.currentTarget.files?.[0])}
        />
        <p id={`${id}-hint`} class="soft">
          CSV or spreadsheet ({UPLOAD_ENDINGS}) with a header row; at most {bytes(data.maxUploadBytes)}.
        </p>
      </div>
      <p>
        No table at hand?{' '}
        <button type="button" onClick={tryExample} disabled={sending !== undefined}>
          Try a table
        </button>{' '}
        <span class="soft">{data.example.name}: made-up visits to a clinic.</span>
      </p>
      {sending && <Sending {...sending} onStop={() => stop.current?.abort()} />}
      <Problem error={error}>
        {error?.readAs !== undefined && (
          <button type="button" onClick={() => send(refused, error.readAs)}>
            {readAsButton(error.readAs)}
          </button>
        )}
      </Problem>
    </section>
  );
}

function Sending({ name, size, share, onStop }: { name: string; size: number; share: number; onStop(): void }) {
  const isSent = share >= 1;
  return (
    <div class="line" role="status">
      <span>{isSent ? `Reading "${name}"…` : `Uploading "${name}" (${bytes(size)}): ${percent(share)}`}</span>
      <progress aria-label="Upload" max={1} {...(!isSent && { value: share })} />
      <button type="button" class="quiet" onClick={onStop}>
        Cancel
      </button>
    </div>
  );
}
