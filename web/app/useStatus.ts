/** A job's status, asked for again and again until it ends. */
import { useEffect, useState } from 'preact/hooks';
import type { StatusReply } from '../../domain/schema/replies.ts';
import { nextDelay } from '../logic/backoff.ts';
import { type Api, type ApiError, asApiError } from './api.ts';

export interface Followed {
  status: StatusReply | undefined;
  error: ApiError | undefined;
  /** Asks at once, and goes on asking. */
  refresh(): void;
}

const ENDED: readonly StatusReply['status'][] = ['uploaded', 'done', 'failed'];

/** A lost connection is tried again; every other error stops the asking. */
const isPassing = ({ code }: ApiError) => ['no_connection', 'storage_unavailable', 'service_busy'].includes(code);

export function useStatus(api: Api, id: string): Followed {
  const [status, setStatus] = useState<StatusReply>();
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let delay = 0;
    let seen = -1;
    const again = (changed: boolean) => {
      delay = nextDelay(delay, changed);
      timer = setTimeout(ask, delay);
    };
    const ask = async () => {
      try {
        const found = await api.status(id);
        if (isOver) return;
        setStatus(found);
        setError(undefined);
        const changed = found.progress.length !== seen;
        seen = found.progress.length;
        if (!ENDED.includes(found.status)) again(changed);
      } catch (caught) {
        if (isOver) return;
        const problem = asApiError(caught);
        setError(problem);
        if (isPassing(problem)) again(false);
      }
    };
    const onVisible = () => {
      if (document.visibilityState !== 'visible' || timer === undefined) return;
      clearTimeout(timer);
      delay = 0;
      again(true);
    };
    void ask();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [api, id, round]);
  return { status, error, refresh: () => setRound((before) => before + 1) };
}
