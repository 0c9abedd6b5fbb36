/** The page: a key, then the place that the address names. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { hashOf, type Place, placeOf } from '../logic/place.ts';
import { Api } from './api.ts';
import { JobPage } from './JobPage.tsx';
import { JobsPage } from './JobsPage.tsx';
import { KeyPanel } from './KeyPanel.tsx';
import { forgetAll, rememberedKey, rememberKey } from './memory.ts';
import { UploadPanel } from './UploadPanel.tsx';

const go = (place: Place): void => {
  location.hash = hashOf(place);
};

function usePlace(): Place {
  const [place, setPlace] = useState(placeOf(location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

export function App({ data }: { data: PageData }) {
  const [key, setKey] = useState(rememberedKey());
  const api = useMemo(() => new Api(key), [key]);
  const place = usePlace();
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
            <a href="#start" aria-current={place.at === 'start' ? 'page' : undefined}>
              New table
            </a>
            <a href="#jobs" aria-current={place.at === 'jobs' ? 'page' : undefined}>
              My jobs
            </a>
            {place.at === 'job' && (
              <a href={hashOf(place)} aria-current="page">
                This job
              </a>
            )}
          </nav>
          {place.at === 'start' && <UploadPanel api={api} data={data} onUploaded={(id) => go({ at: 'job', id })} />}
          {place.at === 'jobs' && <JobsPage api={api} />}
          {place.at === 'job' && (
            <JobPage
              key={place.id}
              api={api}
              data={data}
              id={place.id}
              onSampled={(id) => go({ at: 'job', id })}
              onLeave={() => go({ at: 'jobs' })}
            />
          )}
        </>
      )}
    </>
  );
}
