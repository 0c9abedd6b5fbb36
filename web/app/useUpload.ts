/** What the service knows of a job's columns: as this tab was told at the upload, or asked for again. */
import { useEffect, useState } from 'preact/hooks';
import { type Api, type ApiError, asApiError } from './api.ts';
import { rememberUpload, type Upload, uploadOf } from './memory.ts';

export interface UploadFound {
  upload: Upload | undefined;
  /** Why there is none: the upload has been erased, say. */
  error: ApiError | undefined;
}

export function useUpload(api: Api, id: string): UploadFound {
  const [upload, setUpload] = useState(uploadOf(id));
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (uploadOf(id)) return;
    api
      .columns(id)
      .then((reply) => {
        const found = { reply, file: undefined };
        rememberUpload(found);
        setUpload(found);
      })
      .catch((caught) => setError(asApiError(caught)));
  }, [api, id]);
  return { upload, error };
}
