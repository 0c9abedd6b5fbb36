/** What the page remembers: in this tab alone, and gone when it is closed. Files stay in memory and are lost at a reload. */
import type { UploadReply } from '../../packages/contract/replies.ts';

const KEY = 'key';

/** A browser may forbid storage: then the page works without remembering. */
export function rememberedKey(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function rememberKey(key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // Then a reload asks for it again.
  }
}

export interface Upload {
  reply: UploadReply;
  /** Undefined where this tab did not upload it, or was reloaded since. */
  file: File | undefined;
}

const uploads = new Map<string, Upload>();

export const rememberUpload = (upload: Upload): void => {
  uploads.set(upload.reply.job_id, upload);
};

export const uploadOf = (id: string): Upload | undefined => uploads.get(id);

export const forgetJob = (id: string): void => {
  uploads.delete(id);
};

export function forgetAll(): void {
  uploads.clear();
  rememberKey(null);
}
