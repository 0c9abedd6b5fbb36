/** The service's own figures, said once for the reconciler that writes them and the alarms and dashboard that read them. */
export const METRICS = {
  /** Now, once a minute. */
  started: 'JobsStarted',
  running: 'JobsRunning',
  slotsTaken: 'SlotsTaken',
  /** Seconds since the start of the job that has waited longest for a machine; 0 where none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** Each time that Batch says that a run is over. */
  done: 'JobsDone',
  failed: 'JobsFailed',
  /** Minutes that a machine worked on it. */
  jobMinutes: 'JobMinutes',
} as const;

export type MetricName = (typeof METRICS)[keyof typeof METRICS];
