/** Stops in order on the first signal, and at once on one that comes later than `SAME_SIGNAL_MS` after it. */
import { describeFault } from '../domain/describeFault.ts';
import type { Log } from '../domain/ports.ts';

/** Ctrl-C reaches the server twice: from the terminal, and passed on by the script that started it. */
const SAME_SIGNAL_MS = 1000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const onSignal = async (signal: string) => {
    const now = performance.now();
    if (stoppingSince !== undefined) {
      if (now - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = now;
    log.info('stopping', { signal });
    try {
      await stop();
      log.info('stopped');
      process.exit(0);
    } catch (error) {
      log.error('not_stopped_in_order', describeFault(error));
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void onSignal(signal));
}
