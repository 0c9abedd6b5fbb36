/** Calls of the service, from the page that it serves itself. */
import type { GenerateRequestBody } from '../../domain/schema/generateRequest.ts';
import type {
  DetectFamilyReply,
  EraseReply,
  EstimateReply,
  GenerateReply,
  HealthReply,
  JobsReply,
  SampleReply,
  StatusReply,
  UploadReply,
} from '../../domain/schema/replies.ts';
import type { SampleRequestBody } from '../../domain/schema/sampleRequest.ts';

/** A refusal of the service, or no answer at all (`no_connection`). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | undefined;

  constructor(code: string, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError('page_fault', error instanceof Error ? error.message : String(error));

const NO_CONNECTION = new ApiError(
  'no_connection',
  'The service does not answer. Check your connection, or whether the service is running.',
);

type Envelope<Data> =
  | { success: true; data: Data; error: null }
  | { success: false; data: null; error: { code: string; message: string } };

/** The service checks what it sends against the same schemas that these types come from. */
const isEnvelope = <Data>(value: unknown): value is Envelope<Data> =>
  typeof value === 'object' && value !== null && 'success' in value && 'data' in value && 'error' in value;

function dataOf<Data>(text: string, status: number, retryAfter: string | null): Data {
  const answer: unknown = readJson(text);
  if (!isEnvelope<Data>(answer)) {
    const said = `The answer (${status}) is not one of this service. Something between the page and the service may be in the way.`;
    throw new ApiError('unexpected_answer', said);
  }
  if (answer.success) return answer.data;
  throw new ApiError(answer.error.code, answer.error.message, retryAfter === null ? undefined : Number(retryAfter));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export class Api {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  health = (): Promise<HealthReply> => this.#call('GET', '/health');
  status = (id: string): Promise<StatusReply> => this.#call('GET', `/status/${id}`);
  columns = (id: string): Promise<UploadReply> => this.#call('GET', `/jobs/${id}/columns`);
  jobs = (after?: string, limit = 20): Promise<JobsReply> =>
    this.#call('GET', `/jobs?limit=${limit}${after ? `&after=${encodeURIComponent(after)}` : ''}`);
  cancel = (id: string): Promise<StatusReply> => this.#call('POST', `/jobs/${id}/cancel`);
  release = (id: string): Promise<StatusReply> => this.#call('POST', `/jobs/${id}/release`);
  report = (id: string): Promise<unknown> => this.#call('GET', `/report/${id}.json`);
  receipt = (id: string): Promise<unknown> => this.#call('GET', `/receipt/${id}`);
  erase = (id: string): Promise<EraseReply> => this.#call('DELETE', `/jobs/${id}`);
  generate = (body: GenerateRequestBody): Promise<GenerateReply> => this.#call('POST', '/generate', body);
  sample = (id: string, body: SampleRequestBody): Promise<SampleReply> => this.#call('POST', `/sample/${id}`, body);
  estimate = (body: GenerateRequestBody): Promise<EstimateReply> => this.#call('POST', '/estimate', body);
  detectFamily = (id: string, target: string): Promise<DetectFamilyReply> =>
    this.#call('POST', '/detect_family', { job_id: id, target_col: target });

  /** A file of a job: '/download/…'. */
  async file(path: string): Promise<Blob> {
    const answer = await this.#send('GET', path);
    if (!answer.ok) dataOf(await answer.text(), answer.status, answer.headers.get('Retry-After'));
    return answer.blob();
  }

  /** Uploads with progress from 0 to 1, which `fetch` cannot tell. */
  upload(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<UploadReply> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const body = new FormData();
      body.append('file', file);
      request.open('POST', '/upload');
      request.setRequestHeader('X-API-Key', this.#key);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onload = () => {
        try {
          resolve(dataOf(request.responseText, request.status, request.getResponseHeader('Retry-After')));
        } catch (error) {
          reject(error);
        }
      };
      request.onerror = () => reject(NO_CONNECTION);
      request.onabort = () => reject(new ApiError('stopped', 'The upload was stopped.'));
      signal.addEventListener('abort', () => request.abort());
      request.send(body);
    });
  }

  async #call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await this.#send(method, path, body);
    return dataOf(await answer.text(), answer.status, answer.headers.get('Retry-After'));
  }

  async #send(method: string, path: string, body?: unknown): Promise<Response> {
    try {
      return await fetch(path, {
        method,
        headers: { 'X-API-Key': this.#key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch {
      throw NO_CONNECTION;
    }
  }
}
