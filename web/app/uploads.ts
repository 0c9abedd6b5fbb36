/** Upload replies of this tab, fetched again if needed. */
import { useEffect, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { rememberUpload, type Upload, uploadOf } from './memory.ts';
import { type PageProblem, problemOf } from './service.ts';

export interface UploadFound {
  upload: Upload | undefined;
  error: PageProblem | undefined;
}

/** Does nothing without an id. */
export function useUpload(service: SyntheticTables, id: string | undefined): UploadFound {
  const [found, setFound] = useState<Upload>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    setError(undefined);
    if (id === undefined || uploadOf(id)) return;
    let isCurrent = true;
    service
      .columns(id)
      .then((reply) => {
        const upload = { reply, file: undefined };
        rememberUpload(upload);
        if (isCurrent) setFound(upload);
      })
      .catch((caught) => isCurrent && setError(problemOf(caught)));
    return () => {
      isCurrent = false;
    };
  }, [service, id]);
  if (id === undefined) return { upload: undefined, error };
  return { upload: uploadOf(id) ?? (found?.reply.job_id === id ? found : undefined), error };
}

export function useJobOnce(service: SyntheticTables, id: string | undefined): StatusReply | 'loading' | undefined {
  const [found, setFound] = useState<{ id: string; status: StatusReply | undefined }>();
  useEffect(() => {
    if (id === undefined) return;
    let isCurrent = true;
    const set = (status: StatusReply | undefined) => isCurrent && setFound({ id, status });
    service.status(id).then(set, () => set(undefined));
    return () => {
      isCurrent = false;
    };
  }, [service, id]);
  if (id === undefined) return undefined;
  return found?.id === id ? found.status : 'loading';
}
