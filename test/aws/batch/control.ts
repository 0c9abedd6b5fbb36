/** How a test steers the stand-in for Batch and looks into it. */
import { z } from 'zod';
import type { Faults } from './faults.ts';

const jobSchema = z.object({
  jobId: z.string(),
  jobName: z.string(),
  jobQueue: z.string(),
  status: z.string(),
  statusReason: z.string().optional(),
  attempts: z.array(z.object({ container: z.object({ exitCode: z.int().optional() }) })),
  container: z.object({ environment: z.array(z.object({ name: z.string(), value: z.string() })) }),
  tags: z.record(z.string(), z.string()),
});
export type SeenJob = z.output<typeof jobSchema>;

const ALIVE = ['SUBMITTED', 'PENDING', 'RUNNABLE', 'STARTING', 'RUNNING'];

export class BatchControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async set(faults: Partial<Faults>): Promise<void> {
    await this.#call('faults', faults);
  }

  async jobs(): Promise<SeenJob[]> {
    return z.array(jobSchema).parse(await this.#call('jobs'));
  }

  /** Batch jobs of one of the service's jobs, oldest first. */
  async of(jobId: string): Promise<SeenJob[]> {
    return (await this.jobs()).filter(({ jobName }) => jobName.includes(jobId));
  }

  async alive(): Promise<SeenJob[]> {
    return (await this.jobs()).filter(({ status }) => ALIVE.includes(status));
  }

  async output(jobId: string): Promise<string> {
    return z.object({ text: z.string() }).parse(await this.#call('output', { jobId })).text;
  }

  /** Takes the machine away under a running job, as Spot does. */
  async reclaim(jobId: string): Promise<void> {
    await this.#call('reclaim', { jobId });
  }

  async kill(jobId: string): Promise<void> {
    await this.#call('kill', { jobId });
  }

  /** No jobs, no processes, no faults. */
  async reset(): Promise<void> {
    await this.#call('reset');
  }

  async #call(path: string, body: unknown = {}): Promise<unknown> {
    const reply = await fetch(`${this.#url}/control/${path}`, { method: 'POST', body: JSON.stringify(body) });
    const answer: unknown = await reply.json();
    if (!reply.ok) throw new Error(`The stand-in for Batch answered ${reply.status}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
