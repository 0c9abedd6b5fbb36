import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { statusReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();
const SHORT = { n_samples: 30, draws: 100, tune: 100, seed: 7, target_col: 'price' };

interface Event {
  id: string | undefined;
  event: string;
  data: unknown;
}

/** All events of a stream that has ended. */
function eventsOf(text: string): Event[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]));
    const [event, data] = [fields.get('event'), fields.get('data')];
    return event === undefined || data === undefined ? [] : [{ id: fields.get('id'), event, data: JSON.parse(data) }];
  });
}

const linesOf = (events: Event[]) =>
  events.filter(({ event }) => event === 'progress').map(({ data }) => z.string().parse(data));

describe('GET /events/{job_id}', () => {
  it('gives every line of progress once, as it comes, then the status, and ends', async () => {
    const id = await service.newJob(housesCsv(120));
    await service.post('/generate', { job_id: id, ...SHORT });
    const reply = await service.send('GET', `/events/${id}`);
    expect(reply.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(reply.text);
    const status = await service.status(id);
    expect(statusReplySchema.parse(events.at(-1)?.data)).toEqual(status);
    expect(events.at(-1)?.event).toBe('status');
    expect(linesOf(events)).toEqual(status.progress);
    const facts = events.filter(({ event }) => event === 'event');
    expect(facts.map(({ data }) => data)).toEqual(status.events);
    const ids = events.filter(({ event }) => event === 'progress').map(({ id }) => id);
    expect(ids).toEqual(status.progress.map((_, i) => String(i + 1)));
    expect(facts).toHaveLength(ids.length);
    // A client whose connection broke goes on behind what it has.
    const rest = await service.send('GET', `/events/${id}`, { headers: { 'Last-Event-ID': '2' } });
    expect(linesOf(eventsOf(rest.text))).toEqual(status.progress.slice(2));
  });

  it('comes while the job runs, not after it', async () => {
    const id = await service.newJob(housesCsv(400));
    await service.post('/generate', { job_id: id, ...SHORT, n_samples: 200_000 });
    const answer = await fetch(`${service.url}/events/${id}`, { headers: { 'X-API-Key': service.key } });
    let text = '';
    for await (const bytes of answer.body ?? []) {
      text += Buffer.from(bytes).toString();
      if (text.includes('event: progress')) break;
    }
    expect(['started', 'running']).toContain((await service.status(id)).status);
    await service.send('POST', `/jobs/${id}/cancel`);
  });

  it('ends at once for a job that was never started, and knows only jobs of the key', async () => {
    const id = await service.newJob(housesCsv(60));
    const [only] = eventsOf((await service.send('GET', `/events/${id}`)).text);
    expect(only).toMatchObject({ event: 'status', data: { status: 'uploaded' } });
    expect(verdict(await service.send('GET', '/events/nothing'))).toEqual([404, 'invalid_job']);
    expect((await service.send('HEAD', `/events/${id}`)).text).toBe('');
  });
});
