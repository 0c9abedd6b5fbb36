/** The four calls that make a synthetic table, as any program would send them. */
import { z } from 'zod';

const envelopeSchema = z.object({
  success: z.boolean(),
  data: z.unknown(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const uploadSchema = z.object({
  job_id: z.string(),
  n_rows: z.number(),
  columns: z.array(z.string()),
  col_types: z.record(z.string(), z.string()),
  warnings: z.array(z.string()),
  profile: z.object({ columns: z.array(z.object({ name: z.string(), kind: z.string(), suggested_role: z.string() })) }),
});
const familySchema = z.object({ family: z.string() });
const startedSchema = z.object({ status: z.literal('started'), job_id: z.string() });
const figures = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));
const statusSchema = z.object({
  status: z.string(),
  progress: z.array(z.string()),
  metrics: z
    .object({ numeric: figures, holdout: figures.nullable(), rows_generated: z.number(), notes: z.array(z.string()) })
    .optional(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

export type Upload = z.infer<typeof uploadSchema>;
export type Status = z.infer<typeof statusSchema>;
export type Metrics = NonNullable<Status['metrics']>;

export class Client {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  upload(fileName: string, text: string): Promise<Upload> {
    const body = new FormData();
    body.set('file', new File([text], fileName, { type: 'text/csv' }));
    return this.#call(uploadSchema, '/upload', { method: 'POST', body });
  }

  async detectFamily(jobId: string, target: string): Promise<string> {
    return (await this.#post(familySchema, '/detect_family', { job_id: jobId, target_col: target })).family;
  }

  generate(request: Record<string, unknown>): Promise<z.infer<typeof startedSchema>> {
    return this.#post(startedSchema, '/generate', request);
  }

  status(jobId: string): Promise<Status> {
    return this.#call(statusSchema, `/status/${jobId}`, {});
  }

  async download(jobId: string): Promise<string> {
    const reply = await fetch(`${this.#url}/download/${jobId}`, { headers: { 'X-API-Key': this.#key } });
    if (!reply.ok) throw new Error(`GET /download answered ${reply.status}: ${await reply.text()}`);
    return reply.text();
  }

  #post<T extends z.ZodType>(schema: T, path: string, body: Record<string, unknown>): Promise<z.infer<T>> {
    return this.#call(schema, path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  }

  async #call<T extends z.ZodType>(schema: T, path: string, init: RequestInit): Promise<z.infer<T>> {
    const headers = { ...init.headers, 'X-API-Key': this.#key };
    const reply = await fetch(this.#url + path, { ...init, headers });
    const { data, error } = envelopeSchema.parse(await reply.json());
    if (error) throw new Error(`${path} answered ${reply.status} ${error.code}: ${error.message}`);
    return schema.parse(data);
  }
}
