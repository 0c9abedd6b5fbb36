import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { lineLog, writerTo } from '../../../adapters/shared/childLog.ts';

it('ends no process whose lines nobody reads any more', async () => {
  const brokenPipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(brokenPipe) });
  const log = lineLog(writerTo(stream));
  // Where nobody listens, this is an uncaught exception: a failure of the job, by its own handler.
  expect(stream.listenerCount('error')).toBe(1);
  log.info('job_goes_on');
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.errored).toBe(brokenPipe);
  expect(() => log.info('job_goes_on')).not.toThrow();
});
