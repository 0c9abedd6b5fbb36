/** The page: a key, then the route that the address names. */
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { hashOf, type Route, routeOf } from '../logic/route.ts';
import { JobPage } from './JobPage.tsx';
import { JobsPage } from './JobsPage.tsx';
import { forgetAll, rememberedKey, rememberKey } from './memory.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf, serviceFor } from './service.ts';
import { UploadPanel } from './UploadPanel.tsx';

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

interface Props {
  value: string;
  onEnter(key: string): void;
  onForget(): void;
}

function KeyPanel({ value, onEnter, onForget }: Props) {
  return value === '' ? <KeyForm onEnter={onEnter} /> : <KeyInUse value={value} onForget={onForget} />;
}

function KeyForm({ onEnter }: Pick<Props, 'onEnter'>) {
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
