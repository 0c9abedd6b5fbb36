/** The service's calls, each as the contract has it. Works in browsers and in Node; depends on nothing. */
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

/** What every call takes: `signal` ends it, and its promise is rejected with the reason of the signal. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** File formats of a synthetic table. */
export type DownloadFormat = 'csv' | OutputFormatName;

/** Whom an answer about a job with `privacy` is for. */
export interface AudienceOptions extends CallOptions {
  /**
   * sharing: only what follows from the differentially private measurements, so that it may be handed on. owner, where left
   * out: all figures, which compare with real rows.
   */
  for?: Audience;
}

/** How a table is uploaded. */
export interface UploadOptions extends CallOptions {
  /** The encoding of a text file that is neither UTF-8 nor marked as UTF-16, such as `windows-1252`. */
  encoding?: string | undefined;
}

/** How a table is downloaded. */
export interface DownloadOptions extends CallOptions {
  /**
   * csv where left out; jsonl is an object a row and line, every cell as its text; parquet and xlsx have the target and
   * continuous columns as numbers.
   */
  format?: DownloadFormat;
  /** CSV in which a spreadsheet program finds no formula: an apostrophe stands before each text that would be one. */
  safe?: 'spreadsheet';
}

/** A table to upload: in Node `await openAsBlob('table.csv')` of node:fs, in a page the file that was chosen. */
export type TableFile = Blob | Uint8Array<ArrayBuffer> | string;

/** A file that the service sends. */
export interface Download {
  /** The bytes as they come. */
  body: ReadableStream<Uint8Array>;
  /** Their number, where the service says it beforehand. */
  bytes: number | null;
}

/** * The service's calls. Each throws RefusedError where the service refuses, ConnectionError where no answer comes,
 * UnexpectedReplyError where something else answers, and the reason of its `signal`. A request is sent again where that is safe. */
export class SyntheticTables {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Whether the service answers, its GPU, and its numbers of jobs. */
  health(options: CallOptions = {}): Promise<HealthReply> {
    return this.#get('/health', options);
  }

  /** A new job. `fileName` has to end in .csv, .tsv, .xlsx or .xls. */
  upload(file: TableFile, fileName: string, { encoding, ...options }: UploadOptions = {}): Promise<UploadReply> {
    const body = new FormData();
    if (encoding !== undefined) body.set('encoding', encoding);
    body.set('file', file instanceof Blob ? file : new Blob([file]), fileName);
    return this.#transport.data({ method: 'POST', path: '/upload', body, repeatable: false, named: true, ...options });
  }

  /** What `upload` answered, again; as long as the upload is kept. */
  columns(jobId: string, options: CallOptions = {}): Promise<UploadReply> {
    return this.#get(`/jobs/${encodeURIComponent(jobId)}/columns`, options);
  }

  /** The family that `family: 'auto'` would choose. */
  detectFamily(jobId: string, targetCol: string, options: CallOptions = {}): Promise<DetectFamilyReply> {
    const body = { job_id: jobId, target_col: targetCol };
    return this.#post('/detect_family', body, { repeatable: true, ...options });
  }

  /** Starts the job; with `queue: true` it waits for its turn where no slot is free. `wait` follows it in both cases. */
  generate(request: GenerateRequestBody, options: CallOptions = {}): Promise<GenerateReply> {
    return this.#post('/generate', request, { repeatable: false, named: true, ...options });
  }

  /** More rows from the model of a job that is done: a job of its own, under the id that is answered. `wait` follows it. */
  sample(jobId: string, request: SampleRequestBody, options: CallOptions = {}): Promise<SampleReply> {
    return this.#post(`/sample/${encodeURIComponent(jobId)}`, request, { repeatable: false, named: true, ...options });
  }

  /** Judges the upload of a job beside those of others, whoever made it: the job becomes the comparison. `wait` follows it. */
  compare(request: CompareRequestBody, options: CallOptions = {}): Promise<CompareReply> {
    return this.#post('/compare', request, { repeatable: false, named: true, ...options });
  }

  /** How far a job is: its status, progress, and, where it is done, its metrics. */
  status(jobId: string, { for: audience, ...options }: AudienceOptions = {}): Promise<StatusReply> {
    return this.#get(`/status/${encodeURIComponent(jobId)}${queryFor(audience)}`, options);
  }

  /** Resolves when the job is done. Throws JobFailedError where it fails, NotStartedError where it was never started. */
  wait(jobId: string, options: WaitOptions = {}): Promise<Finished> {
    return waitFor((signal) => this.status(jobId, { signal }), options);
  }

  /** The synthetic table. Throws RefusedError: `no_result` where the job is not done, `withheld` where its policy keeps the rows. */
  download(jobId: string, { format, safe, ...options }: DownloadOptions = {}): Promise<Download> {
    const query = new URLSearchParams({ ...(format && { format }), ...(safe && { safe }) }).toString();
    return this.#file(`/download/${encodeURIComponent(jobId)}${query ? `?${query}` : ''}`, options);
  }

  /** How good the table is, as an HTML page to keep. */
  report(jobId: string, { for: audience, ...options }: AudienceOptions = {}): Promise<Download> {
    return this.#file(`/report/${encodeURIComponent(jobId)}${queryFor(audience)}`, options);
  }

  /** The same as data. */
  reportData(jobId: string, options: CallOptions = {}): Promise<ReportData> {
    return this.#get(`/report/${encodeURIComponent(jobId)}.json`, options);
  }

  /** As data, what `report` with `for: 'sharing'` gives of a job with `privacy`. Throws RefusedError `no_result` for any other job. */
  sharedReportData(jobId: string, options: CallOptions = {}): Promise<SharedReport> {
    return this.#get(`/report/${encodeURIComponent(jobId)}.json${queryFor('sharing')}`, options);
  }

  /** What the table was made from and how, signed. */
  receipt(jobId: string, options: CallOptions = {}): Promise<Receipt> {
    return this.#get(`/receipt/${encodeURIComponent(jobId)}`, options);
  }

  /** Gives out rows that the release policy of the job withholds. Throws RefusedError `release_not_allowed` where the key may not. */
  release(jobId: string, options: CallOptions = {}): Promise<StatusReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/release`;
    return this.#transport.data({ method: 'POST', path, repeatable: true, ...options });
  }

  /** A page of this key's jobs, the newest first. `limit` is a number of jobs, `after` is `next` of the page before. */
  jobs(page: { limit?: number; after?: string } = {}, options: CallOptions = {}): Promise<JobsReply> {
    const query = new URLSearchParams();
    if (page.limit !== undefined) query.set('limit', String(page.limit));
    if (page.after !== undefined) query.set('after', page.after);
    return this.#get(query.size > 0 ? `/jobs?${query}` : '/jobs', options);
  }

  /** A new job on a copy of the upload, to run it with other settings without sending the file. Answers as `upload` does. */
  repeat(jobId: string, options: CallOptions = {}): Promise<UploadReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/repeat`;
    return this.#transport.data({ method: 'POST', path, repeatable: false, named: true, ...options });
  }

  /** Stops a running job; it may be started again. */
  cancel(jobId: string, options: CallOptions = {}): Promise<StatusReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}/cancel`;
    return this.#transport.data({ method: 'POST', path, repeatable: false, ...options });
  }

  /** Ends the job where it runs and removes everything of it. */
  erase(jobId: string, options: CallOptions = {}): Promise<EraseReply> {
    const path = `/jobs/${encodeURIComponent(jobId)}`;
    return this.#transport.data({ method: 'DELETE', path, repeatable: false, ...options });
  }

  /** The secret by which calls to `callback_url` are signed. */
  callbackSecret(options: CallOptions = {}): Promise<CallbackSecretReply> {
    return this.#get('/callback-secret', options);
  }

  /** What a job would take, and a plan that takes less. Nothing is started. */
  estimate(request: GenerateRequestBody, options: CallOptions = {}): Promise<EstimateReply> {
    return this.#post('/estimate', request, { repeatable: true, ...options });
  }

  /** What `compare` would take. Nothing is started. */
  estimateComparison(request: CompareRequestBody, options: CallOptions = {}): Promise<EstimateReply> {
    return this.#post('/compare/estimate', request, { repeatable: true, ...options });
  }

  async #file(path: string, options: CallOptions): Promise<Download> {
    const response = await this.#transport.send({ method: 'GET', path, repeatable: true, ...options });
    // Of a body that came compressed, a length would be that of the compressed bytes.
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

// Polls a job until it ends: often at first and while it says something new, seldom while it is quiet.

/** How a job is waited for. */
export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Called with every answer; `lines` are those that the answer before did not have. `status.queue` is the place of a job that waits. */
  onProgress?: (status: StatusReply, lines: readonly string[]) => void;
  /** Milliseconds between two questions: at first, and at most. 250 and 5,000 where left out. */
  pollMs?: { first: number; most: number };
}

/** The status of a job that is done, with its metrics. */
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
