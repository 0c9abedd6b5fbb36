/** The page: a key, then the route that the address names. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { knownExtension, UPLOAD } from '../../packages/contract/files.ts';
import { readAsButton, UPLOAD_ENDINGS } from '../../packages/words/files.ts';
import { bytes } from '../../packages/words/format.ts';
import { percent } from '../../packages/words/wording.ts';
import type { PageData } from '../logic/contract.ts';
import { hashOf, type Route, routeOf } from '../logic/route.ts';
import { JobPage } from './JobPage.tsx';
import { JobsPage } from './JobsPage.tsx';
import { forgetAll, rememberedKey, rememberKey, rememberUpload } from './memory.ts';
import { Problem } from './Problem.tsx';
import { fetchWithProgress, type PageProblem, pageProblem, problemOf, serviceFor } from './service.ts';

const go = (route: Route): void => {
  location.hash = hashOf(route);
};

function useRoute(): Route {
  const [route, setRoute] = useState(routeOf(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function App({ data }: { data: PageData }) {
  const [key, setKey] = useState(rememberedKey());
  const service = useMemo(() => serviceFor(key), [key]);
  const route = useRoute();
  const enter = (entered: string) => {
    rememberKey(entered);
    setKey(entered);
  };
  const forget = () => {
    forgetAll();
    setKey('');
    go({ at: 'start' });
  };
  return (
    <>
      <KeyPanel value={key} onEnter={enter} onForget={forget} />
      {key !== '' && (
        <>
          <nav class="tabs" aria-label="Your tables">
            <a href="#start" aria-current={route.at === 'start' ? 'page' : undefined}>
              New table
            </a>
            <a href="#jobs" aria-current={route.at === 'jobs' ? 'page' : undefined}>
              My jobs
            </a>
            {route.at === 'job' && (
              <a href={hashOf(route)} aria-current="page">
                This job
              </a>
            )}
          </nav>
          {route.at === 'start' && <UploadPanel apiKey={key} data={data} onUploaded={(id) => go({ at: 'job', id })} />}
          {route.at === 'jobs' && <JobsPage service={service} />}
          {route.at === 'job' && (
            <JobPage
              key={route.id}
              service={service}
              data={data}
              id={route.id}
              onSampled={(id) => go({ at: 'job', id })}
              onLeave={() => go({ at: 'jobs' })}
            />
          )}
        </>
      )}
    </>
  );
}

// The key of the visitor: entered once, checked against the service, kept in this tab.

interface KeyProps {
  value: string;
  onEnter(key: string): void;
  onForget(): void;
}

function KeyPanel({ value, onEnter, onForget }: KeyProps) {
  return value === '' ? <KeyForm onEnter={onEnter} /> : <KeyInUse value={value} onForget={onForget} />;
}

function KeyForm({ onEnter }: Pick<KeyProps, 'onEnter'>) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<PageProblem>();
  const [isChecking, setChecking] = useState(false);
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = typed.trim();
    setChecking(true);
    setError(undefined);
    try {
      await serviceFor(key).health();
      onEnter(key);
    } catch (caught) {
      setError(problemOf(caught));
      setChecking(false);
    }
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Your key</h2>
      <p id={`${id}-hint`}>
        Ask the operator of this service for a key. It stays in this browser tab and is forgotten when you close the
        tab.
      </p>
      <form class="line" onSubmit={submit}>
        <label for={id}>API key</label>
        <input
          id={id}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={typed}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isChecking || typed.trim() === ''}>
          {isChecking ? 'Checking…' : 'Use this key'}
        </button>
      </form>
      <Problem error={error} />
    </section>
  );
}

function KeyInUse({ value, onForget }: { value: string; onForget(): void }) {
  const [gpu, setGpu] = useState<string>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    serviceFor(value)
      .health()
      .then((health) => setGpu(health.gpu_available ? (health.gpu_name ?? 'a GPU') : undefined))
      .catch((caught) => setError(problemOf(caught)));
  }, [value]);
  return (
    <>
      <div class="keyline">
        <span>
          Key ending in <code>{value.slice(-4)}</code>
          {gpu && <span class="soft"> · text models are trained on {gpu}</span>}
        </span>
        <button type="button" class="quiet" onClick={onForget}>
          Forget key
        </button>
      </div>
      <Problem error={error} />
    </>
  );
}

// A file is chosen or dropped, and uploaded with a progress bar.

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

interface UploadProps {
  apiKey: string;
  data: PageData;
  onUploaded(jobId: string): void;
}

function UploadPanel({ apiKey, data, onUploaded }: UploadProps) {
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
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer?.files[0]);
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Upload a table</h2>
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
