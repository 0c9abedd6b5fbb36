/** What the service knows of a job's columns: as this tab was told at the upload, or asked for again. */
import { useEffect, useState } from 'preact/hooks';
import type { StatusReply } from '../../domain/schema/replies.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { rememberUpload, type Upload, uploadOf } from './memory.ts';

export interface UploadFound {
  upload: Upload | undefined;
  /** Why there is none: the upload has been erased, say. */
  error: ApiError | undefined;
}

/** A sample has the upload of the job whose model made it. Nothing is asked for before the status is there. */
export function useUpload(api: Api, status: StatusReply | undefined): UploadFound {
  const id = status && (status.sample_of ?? status.job_id);
  const [found, setFound] = useState<Upload>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (id === undefined || uploadOf(id)) return;
    api
      .columns(id)
      .then((reply) => {
        const upload = { reply, file: undefined };
        rememberUpload(upload);
        setFound(upload);
      })
      .catch((caught) => setError(asApiError(caught)));
  }, [api, id]);
  return { upload: id === undefined ? undefined : (uploadOf(id) ?? found), error };
}
