/** A client over HTTP whose server is killed while it waits: no answer is undefined. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { housesCsv } from '../tables.ts';

interface Reply {
  status: number;
  text: string;
}

export const TABLE = Buffer.from(housesCsv(60));
const PIECE_BYTES = 500;
const PIECE_MS = 5;

/** Rows of a sample. */
const SAMPLE = { rows: 50, seed: 3 };

/** No table meets the policy: the rows of every job are withheld until they are released. */
const REQUEST = {
  target_col: 'price',
  family: 'gaussian',
  n_samples: 200,
  draws: 100,
  tune: 100,
  seed: 7,
  policy: { max_nearest_train_share_lower: 0 },
};

/** Of private tables, all of which are charged to one ledger. */
export const PRIVATE_TABLE = Buffer.from(
  ['size,kind', ...Array.from({ length: 250 }, (_, row) => `${row},${row % 2 === 0 ? 'a' : 'b'}`)].join('\n'),
);
const PRIVATE_REQUEST = {
  n_samples: 50,
  seed: 7,
  privacy: { epsilon: 0.05 },
  domain: { size: { min: 0, max: 300 }, kind: { levels: ['a', 'b'] } },
};

const madeSchema = z.object({ data: z.object({ job_id: z.string() }) });
const statusSchema = z.object({ data: z.object({ status: z.string() }) });

export class CutOffClient {
  url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** Sends the table piece by piece. The id of the job. */
  async upload(table = TABLE): Promise<string | undefined> {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    return madeBy(
      await this.#send('POST', '/upload', { headers, body: ReadableStream.from(pieces(table)), duplex: 'half' }),
    );
  }

  async start(jobId: string, callbackUrl: string, { queue } = { queue: false }): Promise<boolean> {
    const body = JSON.stringify({ job_id: jobId, ...REQUEST, callback_url: callbackUrl, queue });
    return isDone(await this.#send('POST', '/generate', json(body)));
  }

  /** The same start twice at once, as by a double click: one of them is refused. */
  async startPrivate(jobId: string, callbackUrl: string): Promise<boolean> {
    const body = JSON.stringify({ job_id: jobId, ...PRIVATE_REQUEST, callback_url: callbackUrl });
    const answers = await Promise.all([1, 2].map(() => this.#send('POST', '/generate', json(body))));
    const refused = answers.filter((answer) => answer?.status === 409);
    if (refused.length > 1) throw new Error(`both starts were refused: ${refused[0]?.text}`);
    return answers.filter((answer) => answer?.status !== 409 && isDone(answer)).length > 0;
  }

  /** The id of the sample's job. */
  async sample(jobId: string): Promise<string | undefined> {
    return madeBy(await this.#send('POST', `/sample/${jobId}`, json(JSON.stringify(SAMPLE))));
  }

  release = async (jobId: string): Promise<boolean> => isDone(await this.#send('POST', `/jobs/${jobId}/release`));

  cancel = async (jobId: string): Promise<boolean> => isDone(await this.#send('POST', `/jobs/${jobId}/cancel`));

  erase = async (jobId: string): Promise<boolean> => isDone(await this.#send('DELETE', `/jobs/${jobId}`));

  async isOver(jobId: string): Promise<boolean> {
    const answer = await this.#send('GET', `/status/${jobId}`);
    return (
      answer?.status === 200 && ['done', 'failed'].includes(statusSchema.parse(JSON.parse(answer.text)).data.status)
    );
  }

  download = (jobId: string): Promise<Reply | undefined> => this.#send('GET', `/download/${jobId}`);

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Reply | undefined> {
    const headers = { ...init.headers, 'X-API-Key': this.#key };
    try {
      const answer = await fetch(this.url + path, { ...init, method, headers });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return undefined;
    }
  }
}

const json = (body: string): RequestInit => ({ body, headers: { 'Content-Type': 'application/json' } });

const madeBy = (answer: Reply | undefined): string | undefined =>
  isDone(answer) && answer ? madeSchema.parse(JSON.parse(answer.text)).data.job_id : undefined;

/** Whether it was answered. Throws where the answer is a refusal: nothing that a trial asks for is to be refused. */
function isDone(answer: Reply | undefined): boolean {
  if (answer && answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer !== undefined;
}

async function* pieces(table: Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="houses.csv"\r\n\r\n');
  for (let at = 0; at < table.length; at += PIECE_BYTES) {
    yield table.subarray(at, at + PIECE_BYTES);
    await sleep(PIECE_MS);
  }
  yield Buffer.from('\r\n--b--\r\n');
}
