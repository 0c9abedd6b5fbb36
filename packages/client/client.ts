import type {
  Audience,
  CallbackSecretReply,
  CompareReply,
  CompareRequestBody,
  DetectFamilyReply,
  EraseReply,
  EstimateReply,
  GenerateReply,
  GenerateRequestBody,
  HealthReply,
  JobMetrics,
  JobsReply,
  OutputFormatName,
  Receipt,
  ReportData,
  SampleReply,
  SampleRequestBody,
  SharedReport,
  StatusReply,
  UploadReply,
} from './contract.ts';
import { JobFailedError, NotStartedError } from './errors.ts';
import { type Call, pause, Transport, type TransportOptions } from './transport.ts';

/** Options of every call. Aborting `signal` rejects the call with the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** File formats of a synthetic table. */
export type DownloadFormat = 'csv' | OutputFormatName;

/** Who reads about a job with `privacy`. */
export interface AudienceOptions extends CallOptions {
  /**
   * owner (default): all figures, including comparisons with real rows. sharing: only results of differentially private
   * measurements.
   */
  for?: Audience;
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** Encoding of text that is neither UTF-8 nor marked UTF-16, such as `windows-1252`. */
  encoding?: string | undefined;
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /**
   * Default csv; jsonl has one object per row with text cells; parquet and xlsx store target and continuous columns as
   * numbers.
   */
  format?: DownloadFormat;
  /** Prefixes an apostrophe to CSV cells that would be formulas. */
  safe?: 'spreadsheet';
}

/** A table: in Node `await openAsBlob('table.csv')` of node:fs, in a page the chosen file. */
export type TableFile = Blob | Uint8Array<ArrayBuffer> | string;

/** A file from the service. */
export interface Download {
  body: ReadableStream<Uint8Array>;
  /** Size, if known beforehand. */
  bytes: number | null;
}

/**
 * The service's calls. They throw RefusedError, ConnectionError, UnexpectedReplyError or the reason of `signal`, and
 * retry if that is safe.
 */
export class SyntheticTables {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Returns the service's status, its GPU and its numbers of jobs. */
  health(options: CallOptions = {}): Promise<HealthReply> {
    return this.#get('/health', options);
  }

  /** Creates a job. `fileName` must end in .csv, .tsv, .xlsx or .xls. */
  upload(file: TableFile, fileName: string, { encoding, ...options }: UploadOptions = {}): Promise<UploadReply> {
    const body = new FormData();
    if (encoding !== undefined) body.set('encoding', encoding);
    body.set('file', file instanceof Blob ? file : new Blob([file]), fileName);
    return this.#transport.data({ method: 'POST', path: '/upload', body, repeatable: false, named: true, ...options });
  }

  /** Returns the reply to `upload` again, while the upload is stored. */
  columns(jobId: string, options: CallOptions = {}): Promise<UploadReply> {
    return this.#get(`/jobs/${encodeURIComponent(jobId)}/columns`, options);
  }

  /** Returns the family that `family: 'auto'` would choose. */
  detectFamily(jobId: string, targetCol: string, options: CallOptions = {}): Promise<DetectFamilyReply> {
    const body = { job_id: jobId, target_col: targetCol };
    return this.#post('/detect_family', body, { repeatable: true, ...options });
  }

  /** Starts the job; `queue: true` lets it wait for a slot. Follow with `wait`. */
  generate(request: GenerateRequestBody, options: CallOptions = {}): Promise<GenerateReply> {
    return this.#post('/generate', request, { repeatable: false, named: true, ...options });
  }

  /** Draws more rows from the model of a finished job, as a new job. Follow with `wait`. */
  sample(jobId: string, request: SampleRequestBody, options: CallOptions = {}): Promise<SampleReply> {
    return this.#post(`/sample/${encodeURIComponent(jobId)}`, request, { repeatable: false, named: true, ...options });
  }

  /** Compares uploaded tables of any origin; the job becomes the comparison. Follow with `wait`. */
  compare(request: CompareRequestBody, options: CallOptions = {}): Promise<CompareReply> {
    return this.#post('/compare', request, { repeatable: false, named: true, ...options });
  }

  /** Returns a job's status, progress and, once finished, metrics. */
  status(jobId: string, { for: audience, ...options }: AudienceOptions = {}): Promise<StatusReply> {
    return this.#get(`/status/${encodeURIComponent(jobId)}${queryFor(audience)}`, options);
  }

  /** Waits until the job is done. Throws JobFailedError, or NotStartedError if it was never started. */
  wait(jobId: string, options: WaitOptions = {}): Promise<Finished> {
    return waitFor((signal) => this.status(jobId, { signal }), options);
  }

  /**
   * Returns the synthetic table. Throws RefusedError with `no_result` before the job is done, `withheld` if its policy
   * blocks the rows.
   */
  download(jobId: string, { format, safe, ...options }: DownloadOptions = {}): Promise<Download> {
    const query = new URLSearchParams({ ...(format && { format }), ...(safe && { safe }) }).toString();
    return this.#file(`/download/${encodeURIComponent(jobId)}${query ? `?${query}` : ''}`, options);
  }

  /** Returns the quality report as an HTML page. */
  report(jobId: string, { for: audience, ...options }: AudienceOptions = {}): Promise<Download> {
    return this.#file(`/report/${encodeURIComponent(jobId)}${queryFor(audience)}`, options);
  }

  /** Returns the report as data. */
  reportData(jobId: string, options: CallOptions = {}): Promise<ReportData> {
    return this.#get(`/report/${encodeURIComponent(jobId)}.json`, options);
  }

  /** Returns the report for sharing as data. Throws RefusedError `no_result` for a job without `privacy`. */
  sharedReportData(jobId: string, options: CallOptions = {}): Promise<SharedReport> {
    return this.#get(`/report/${encodeURIComponent(jobId)}.json${queryFor('sharing')}`, options);
  }

  /** Returns the signed receipt of how the table was made. */
  receipt(jobId: string, options: CallOptions = {}): Promise<Receipt> {
    return this.#get(`/receipt/${encodeURIComponent(jobId)}`, options);
  }

  /** Releases withheld rows. Throws RefusedError `release_not_allowed` if the key may not. */
  release(jobId: string, options: CallOptions = {}): Promise<StatusReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/release`;
    return this.#transport.data({ method: 'POST', path, repeatable: true, ...options });
  }

  /** Lists this key's jobs, newest first. `after` is `next` of the previous page. */
  jobs(page: { limit?: number; after?: string } = {}, options: CallOptions = {}): Promise<JobsReply> {
    const query = new URLSearchParams();
    if (page.limit !== undefined) query.set('limit', String(page.limit));
    if (page.after !== undefined) query.set('after', page.after);
    return this.#get(query.size > 0 ? `/jobs?${query}` : '/jobs', options);
  }

  /** Creates a job with a copy of the upload. Replies like `upload`. */
  repeat(jobId: string, options: CallOptions = {}): Promise<UploadReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/repeat`;
    return this.#transport.data({ method: 'POST', path, repeatable: false, named: true, ...options });
  }

  /** Stops a running job; it may be started again. */
  cancel(jobId: string, options: CallOptions = {}): Promise<StatusReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/cancel`;
    return this.#transport.data({ method: 'POST', path, repeatable: false, ...options });
  }

  /** Stops the job and deletes everything of it. */
  erase(jobId: string, options: CallOptions = {}): Promise<EraseReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}`;
    return this.#transport.data({ method: 'DELETE', path, repeatable: false, ...options });
  }

  /** Returns the secret that signs calls to `callback_url`. */
  callbackSecret(options: CallOptions = {}): Promise<CallbackSecretReply> {
    return this.#get('/callback-secret', options);
  }

  /** Estimates a job and suggests a cheaper plan, without starting it. */
  estimate(request: GenerateRequestBody, options: CallOptions = {}): Promise<EstimateReply> {
    return this.#post('/estimate', request, { repeatable: true, ...options });
  }

  /** Estimates a comparison without starting it. */
  estimateComparison(request: CompareRequestBody, options: CallOptions = {}): Promise<EstimateReply> {
    return this.#post('/compare/estimate', request, { repeatable: true, ...options });
  }

  async #file(path: string, options: CallOptions): Promise<Download> {
    const response = await this.#transport.send({ method: 'GET', path, repeatable: true, ...options });
    // The length of a compressed body does not match its content.
    const length = response.headers.has('Content-Encoding') ? null : response.headers.get('Content-Length');
    return { body: response.body ?? new Blob([]).stream(), bytes: length === null ? null : Number(length) };
  }

  #get<Data>(path: string, options: CallOptions): Promise<Data> {
    return this.#transport.data({ method: 'GET', path, repeatable: true, ...options });
  }

  #post<Data>(path: string, body: object, call: Pick<Call, 'repeatable' | 'named' | 'signal'>): Promise<Data> {
    const headers = { 'Content-Type': 'application/json' };
    return this.#transport.data({ method: 'POST', path, body: JSON.stringify(body), headers, ...call });
  }
}

const queryFor = (audience: Audience | undefined): string => (audience === undefined ? '' : `?for=${audience}`);

// Polls often while there is progress, else rarely.

/** Options of waiting. */
export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Called with every reply and its new lines. `status.queue` is the place of a waiting job. */
  onProgress?: (status: StatusReply, lines: readonly string[]) => void;
  /** Milliseconds between polls; default 250 at first and at most 5,000. */
  pollMs?: { first: number; most: number };
}

/** Status of a finished job with metrics. */
export type Finished = StatusReply & { status: 'done'; metrics: JobMetrics };

const POLL_MS = { first: 250, most: 5000 };
const GROWTH = 1.4;

async function waitFor(
  ask: (signal: AbortSignal | undefined) => Promise<StatusReply>,
  { signal, onProgress, pollMs = POLL_MS }: WaitOptions,
): Promise<Finished> {
  let seen = 0;
  for (let ms = pollMs.first; ; ms = Math.min(pollMs.most, ms * GROWTH)) {
    const status = await ask(signal);
    const lines = status.progress.slice(seen);
    onProgress?.(status, lines);
    if (isFinished(status)) return status;
    refuseEnded(status);
    if (lines.length > 0) ms = pollMs.first;
    seen = status.progress.length;
    await pause(ms, signal);
  }
}

const isFinished = (status: StatusReply): status is Finished =>
  status.status === 'done' && status.metrics !== undefined;

const UNKNOWN = { code: 'internal_error', message: 'The job failed.', params: { reason: 'job_fault' } } as const;

function refuseEnded({ job_id, status, sample_of, error }: StatusReply): void {
  if (status === 'uploaded') {
    throw new NotStartedError(job_id);
  }
  if (status === 'failed') {
    throw new JobFailedError({ job_id, sample_of }, error ?? UNKNOWN);
  }
}
