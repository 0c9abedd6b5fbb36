/** The functions, named as their files in lambdas/. */
export const API_FUNCTIONS = [
  'health',
  'upload',
  'detectFamily',
  'estimate',
  'generate',
  'sample',
  'status',
  'events',
  'listJobs',
  'columns',
  'download',
  'report',
  'receipt',
  'callbackSecret',
  'releaseJob',
  'eraseJob',
  'cancelJob',
  'describe',
  'mcp',
  'pages',
] as const;

export const FUNCTIONS = [...API_FUNCTIONS, 'reconcile', 'expire'] as const;

export type ApiFunctionName = (typeof API_FUNCTIONS)[number];
export type FunctionName = (typeof FUNCTIONS)[number];

export function mapFunctions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
  const made: Partial<Record<FunctionName, T>> = {};
  for (const name of FUNCTIONS) made[name] = make(name);
  return made as Record<FunctionName, T>;
}
