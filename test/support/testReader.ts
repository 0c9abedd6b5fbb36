/** A worker that does with an upload what its file's name says: `count`, `refuse`, `fault`, `memory`, `hang`, `hangAtEnd` or `exit`. */
import { parentPort, threadId } from 'node:worker_threads';
import { encodeProfile } from '../../packages/tables/profile/profile.ts';
import { profileOf } from './profiles.ts';

const port = parentPort;
let bytes = 0;
let hangsAtEnd = false;

const BEHAVIOURS: Record<string, () => void> = {
  count: () => port?.postMessage({ kind: 'pull' }),
  hangAtEnd: () => {
    hangsAtEnd = true;
    port?.postMessage({ kind: 'pull' });
  },
  refuse: () => port?.postMessage({ kind: 'refused', params: { reason: 'quote_not_closed', line: 3 } }),
  fault: () => port?.postMessage({ kind: 'failed', fault: 'TypeError' }),
  hang: () => {
    for (;;);
  },
  exit: () => process.exit(1),
  memory: () => {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => i + 0.5));
  },
};

port?.on('message', (message) => {
  if (message.kind === 'start') {
    bytes = 0;
    BEHAVIOURS[message.fileName]?.();
  } else if (message.kind === 'end') {
    while (hangsAtEnd);
    const profile = { ...profileOf(), warnings: [String(bytes), String(threadId)] };
    port.postMessage({ kind: 'profile', profile: encodeProfile(profile) });
  } else {
    bytes += message.bytes.length;
    port.postMessage({ kind: 'pull' });
  }
});
