/** State of this tab, lost when it closes; files are lost at a reload. */
import type { UploadReply } from '../../packages/contract/replies.ts';

const KEY = 'key';

/** Works without storage. */
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
    // A reload then asks again.
  }
}

export interface Upload {
  reply: UploadReply;
  /** Only in the tab that uploaded it, until a reload. */
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
