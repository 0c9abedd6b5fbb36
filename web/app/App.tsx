import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { hashOf, type JudgedUploads, keyIn, type Route, routeOf } from '../logic/route.ts';
import { JobPage } from './JobPage.tsx';
import { JobsPage } from './JobsPage.tsx';
import { JudgePage } from './JudgePage.tsx';
import { KeyForm, KeyInUse } from './KeyPanel.tsx';
import { forgetAll, rememberedKey, rememberKey } from './memory.ts';
import { SideBySidePage } from './SideBySidePage.tsx';
import { type PageProblem, serviceFor } from './service.ts';
import { UploadPanel } from './UploadPanel.tsx';

const go = (route: Route): void => {
  location.hash = hashOf(route);
};

/** Reads the current address, because two uploads may run at once. */
function chooseJudged(table: keyof JudgedUploads, id: string | null): void {
  const now = routeOf(location.hash);
  if (now.at === 'judge') location.replace(hashOf({ ...now, uploads: { ...now.uploads, [table]: id } }));
}

/** Removes the key from the address first. */
function takeKey(): string | undefined {
  const key = keyIn(location.hash);
  if (key === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  rememberKey(key);
  return key;
}

interface Visit {
  key: string;
  route: Route;
}

const visitNow = (): Visit => ({ key: takeKey() ?? rememberedKey(), route: routeOf(location.hash) });

function useVisit(): [Visit, (key: string) => void] {
  const [visit, setVisit] = useState(visitNow);
  useEffect(() => {
    // Without storage, only this state has the key.
    const follow = () => setVisit((before) => ({ key: takeKey() ?? before.key, route: routeOf(location.hash) }));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const setKey = useCallback((key: string) => setVisit((before) => ({ ...before, key })), []);
  return [visit, setKey];
}

export function App({ data }: { data: PageData }) {
  const [{ key, route }, setKey] = useVisit();
  const [refusal, setRefusal] = useState<PageProblem>();
  const service = useMemo(() => serviceFor(key), [key]);
  // Before painting, because CSS of the footer depends on it.
  useLayoutEffect(() => {
    document.body.dataset.view = key === '' ? 'key' : route.at;
  }, [key, route.at]);
  const enter = (entered: string) => {
    rememberKey(entered);
    setRefusal(undefined);
    setKey(entered);
  };
  const leave = (reason?: PageProblem) => {
    forgetAll();
    setRefusal(reason);
    setKey('');
    if (reason === undefined) go({ at: 'start' });
  };
  if (key === '') return <KeyForm refusal={refusal} onEnter={enter} />;
  return (
    <>
      <div class="tabs">
        <nav aria-label="Your tables">
          <a href="#start" aria-current={route.at === 'start' ? 'page' : undefined}>
            New table
          </a>
          <a href="#jobs" aria-current={route.at === 'jobs' ? 'page' : undefined}>
            My jobs
          </a>
        </nav>
        <KeyInUse value={key} onForget={() => leave()} onRefused={leave} />
      </div>
      {route.at === 'start' && <UploadPanel apiKey={key} data={data} onUploaded={(id) => go({ at: 'job', id })} />}
      {route.at === 'jobs' && <JobsPage service={service} />}
      {route.at === 'judge' && (
        <JudgePage
          service={service}
          apiKey={key}
          data={data}
          uploads={route.uploads}
          from={route.from}
          onChosen={chooseJudged}
          onStarted={(id) => go({ at: 'job', id })}
        />
      )}
      {route.at === 'sideBySide' && <SideBySidePage key={hashOf(route)} service={service} ids={route.ids} />}
      {route.at === 'job' && (
        <JobPage key={route.id} service={service} data={data} id={route.id} earlier={route.earlier} onGo={go} />
      )}
    </>
  );
}
