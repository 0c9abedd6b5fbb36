/** Names of the record table's keys and index, said once for the store and the infrastructure. */
export const RECORDS = {
  /** Every item: 'JOB#<id>', 'KEY#<id>', 'SLOTS', 'TOTAL', 'GPU'. */
  partitionKey: 'pk',
  /** Jobs by phase ('active' or 'ended') and the time since which they are in it. */
  phaseIndex: 'byPhase',
  phase: 'phase',
  since: 'since',
} as const;
