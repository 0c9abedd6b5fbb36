import { entryText } from '../../packages/words/events.ts';
import { isUnderWay, type Job } from '../../service/job/job.ts';
import { placeOf } from '../../service/job/startWaiting.ts';
import { streamed } from '../http/atWork.ts';
import type { ApiContext } from '../http/context.ts';
import { jobInPath, statusOf } from '../http/jobs.ts';
import { type Route, UNKNOWN_IN_PATH } from '../http/route.ts';

const EVENTS = 'text/event-stream; charset=utf-8';

/** Clients reconnect by themselves. */
const LOOK_MS = 500;
/** A place in the line rarely changes and costs more to read. */
const LOOK_QUEUED_MS = 2000;
const LONGEST_MS = 600_000;
/** Proxies cut silent connections. */
const SIGN_OF_LIFE_MS = 15_000;

export const events: Route = {
  method: 'get',
  path: '/events/:job_id',
  access: 'key',
  needs: ['find job', 'find callback', 'see queue'],
  streams: true,
  summary: 'Progress of a job as server-sent events',
  description: `Server-sent events, instead of polling. \`event\` is what the job has just done, as data (an entry of \`events\` in GET /status); \`progress\` is the same as a line of text. The id of a line is its number: with Last-Event-ID, the stream goes on after that line. \`queue\` is the place of a job that waits for a slot (\`position\`, \`seconds\`), whenever it changes. \`status\` has the reply of GET /status/{job_id}; it comes when the job is done or failed, or was never started, and ends the stream. A stream lasts at most ${LONGEST_MS / 60_000} minutes; clients of server-sent events then reconnect by themselves.`,
  reply: {
    contentType: EVENTS,
    description: 'A stream of events.',
    example:
      'event: event\ndata: {"stage":"load","fact":"table_read","rows":344,"columns":7,"seconds":0.1}\n\nid: 2\nevent: progress\ndata: "Read 344 rows and 7 columns (0.1 s)"\n\n',
  },
  refusals: [UNKNOWN_IN_PATH],
  async handle(c) {
    const job = await jobInPath(c);
    const headers = { 'Content-Type': EVENTS, 'X-Accel-Buffering': 'no' };
    if (c.req.method === 'HEAD') return new Response(null, { headers });
    return streamed(c, encoded(follow(c, job)), headers);
  },
};

/** Ends with the job or its record, a revoked key, `LONGEST_MS`, or the reader. */
async function* follow(c: ApiContext, first: Job): AsyncGenerator<string> {
  const { jobs, keys, clock } = c.get('service');
  const [start, { signal }] = [clock.now().getTime(), c.req.raw];
  let sent = seenBefore(c.req.header('Last-Event-ID'));
  let silentMs = 0;
  yield 'retry: 1000\n\n';
  let attempt = first.attempt;
  let position: number | undefined;
  for (let job: Job | undefined = first; job && !signal.aborted; job = await jobs.find(first.id)) {
    // A restarted job has the events of its new attempt.
    if (job.attempt !== attempt) sent = 0;
    attempt = job.attempt;
    const entries = job.progress.slice(sent);
    for (const entry of entries) {
      yield eventOf('event', entry);
      yield eventOf('progress', entryText(entry, 'http'), ++sent);
    }
    const place = await placeOf(c.get('service'), job);
    const isSilent = entries.length === 0 && place?.position === position;
    if (place && place.position !== position) yield eventOf('queue', place);
    position = place?.position;
    if (!isUnderWay(job.state)) {
      yield eventOf('status', await statusOf(c.get('service'), job));
      return;
    }
    if (clock.now().getTime() - start >= LONGEST_MS) return;
    const lookMs = job.state === 'queued' ? LOOK_QUEUED_MS : LOOK_MS;
    silentMs = isSilent ? silentMs + lookMs : 0;
    if (silentMs >= SIGN_OF_LIFE_MS) {
      silentMs = 0;
      yield ': still there\n\n';
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    if (!(await keys.verify(c.get('key')))) return;
  }
}

/** JSON has no line breaks, so the data is one line. */
const eventOf = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const seenBefore = (header: string | undefined): number => (/^\d{1,9}$/.test(header ?? '') ? Number(header) : 0);

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
