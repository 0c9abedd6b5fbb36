import { useRef, useState } from 'preact/hooks';
import { knownExtension, UPLOAD } from '../../packages/contract/files.ts';
import { readAsButton } from '../../packages/words/files.ts';
import { bytes } from '../../packages/words/format.ts';
import { percent } from '../../packages/words/wording.ts';
import { rememberUpload } from './memory.ts';
import { Problem } from './Problem.tsx';
import { fetchWithProgress, type PageProblem, pageProblem, problemOf, serviceFor } from './service.ts';

/** Refuses a file before sending; undefined if acceptable. */
function refusalOf({ name, size }: File, max_bytes: number): PageProblem | undefined {
  if (!knownExtension(name)) {
    const extension = /\.[^.]+$/.exec(name)?.[0] ?? null;
    const params = { reason: 'file_extension_unknown', file_name: name, extension, known: [...UPLOAD.extensions] };
    return pageProblem({ code: 'unsupported_file_type', params });
  }
  if (size > max_bytes) return pageProblem({ code: 'file_too_large', params: { reason: 'file_too_large', max_bytes } });
  return size === 0 ? pageProblem({ code: 'empty_file', params: { reason: 'file_has_no_bytes' } }) : undefined;
}

interface SentFile {
  name: string;
  size: number;
  share: number;
}

export interface Sender {
  sending: SentFile | undefined;
  error: PageProblem | undefined;
  setError(error: PageProblem): void;
  /** Ignored while another file is being sent. */
  send(file: File | undefined, encoding?: string): Promise<void>;
  readAs(encoding: string | undefined): Promise<void>;
  stop(): void;
}

interface Options {
  apiKey: string;
  maxBytes: number;
  onUploaded(jobId: string): void;
}

export function useSender({ apiKey, maxBytes, onUploaded }: Options): Sender {
  const [sending, setSending] = useState<SentFile>();
  const [error, setError] = useState<PageProblem>();
  const [latest, setLatest] = useState<File>();
  const stop = useRef<AbortController>(undefined);
  const send = async (file: File | undefined, encoding?: string) => {
    if (!file || sending) return;
    const refusal = refusalOf(file, maxBytes);
    setError(refusal);
    setLatest(file);
    if (refusal) return;
    const own = new AbortController();
    stop.current = own;
    const show = (share: number) => setSending({ name: file.name, size: file.size, share });
    show(0);
    try {
      const { signal } = own;
      const reply = await serviceFor(apiKey, fetchWithProgress(show)).upload(file, file.name, { signal, encoding });
      rememberUpload({ reply, file });
      onUploaded(reply.job_id);
    } catch (caught) {
      if (!own.signal.aborted) setError(problemOf(caught));
    }
    setSending(undefined);
  };
  return {
    sending,
    error,
    setError,
    send,
    readAs: (encoding) => send(latest, encoding),
    stop: () => stop.current?.abort(),
  };
}

export function SenderState({ sender: { sending, error, readAs, stop } }: { sender: Sender }) {
  return (
    <>
      {sending && <Sending {...sending} onStop={stop} />}
      <Problem error={error}>
        {error?.readAs !== undefined && (
          <button type="button" onClick={() => readAs(error.readAs)}>
            {readAsButton(error.readAs)}
          </button>
        )}
      </Problem>
    </>
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
