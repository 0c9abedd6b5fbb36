import {
  type Download,
  type Fetch,
  RefusedError,
  SyntheticTables,
  SyntheticTablesError,
} from '../../packages/client/index.ts';
import { isCase } from '../../packages/contract/problems.ts';
import { type FieldText, fieldTexts, problemText, type ReceivedProblem } from '../../packages/words/problems.ts';

/** Retries short interruptions; reports a full service at once. */
const PATIENCE_MS = 2500;

export const serviceFor = (key: string, send?: Fetch): SyntheticTables =>
  new SyntheticTables({ url: location.origin, key, patienceMs: PATIENCE_MS, ...(send && { fetch: send }) });

export interface PageProblem {
  code: string;
  message: string;
  fields: readonly FieldText[];
  /** Seconds to wait. */
  retryAfter?: number;
  readAs?: string;
}

export const saidOf = (problem: PageProblem | undefined, name: string): string | undefined =>
  problem?.fields.find(({ field }) => field === name)?.text;

/** Texts by list index, such as 2 for `conditions[2].rows`. */
export function partsOf(problem: PageProblem | undefined, name: string): ReadonlyMap<number, string> {
  const found = (problem?.fields ?? []).flatMap(({ field, part, text }): [number, string][] => {
    const [, at] = /^\w+\[(\d+)\]/.exec(part) ?? [];
    return field === name && at !== undefined ? [[Number(at), text]] : [];
  });
  return new Map(found);
}

export const pageProblem = (problem: ReceivedProblem): PageProblem => ({
  code: problem.code,
  message: problemText(problem, 'page'),
  fields: fieldTexts(problem, 'page'),
  ...encodingIn(problem.params),
});

const encodingIn = (params: unknown): Pick<PageProblem, 'readAs'> =>
  isCase(params) && 'probably' in params && typeof params.probably === 'string' ? { readAs: params.probably } : {};

export function problemOf(caught: unknown): PageProblem {
  if (!(caught instanceof SyntheticTablesError)) {
    return { code: 'page_fault', message: caught instanceof Error ? caught.message : String(caught), fields: [] };
  }
  const retryAfter = caught instanceof RefusedError ? caught.retryAfter : null;
  return { ...pageProblem(caught), ...(retryAfter !== null && { retryAfter }) };
}

export const blobOf = ({ body }: Download, type: string): Promise<Blob> =>
  new Response(body, { headers: { 'Content-Type': type } }).blob();

/** Reports upload progress (0 to 1), which `fetch` does not. */
export const fetchWithProgress =
  (onShare: (share: number) => void): Fetch =>
  (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const request = new XMLHttpRequest();
      request.open(method, url);
      request.responseType = 'blob';
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('the connection broke off'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body instanceof FormData || typeof body === 'string' ? body : null);
    });

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(request.response, { status: request.status, headers });
}
