/** What every file of `bench/` exports as `bench`: figures that are printed, never asserted. */
export interface Bench {
  /** One line: what is measured, and the figure to reach. */
  title: string;
  /** Prints its tables. Rejects where it cannot measure, with a message that says what is missing. */
  run(): Promise<void>;
}

export function isBench(value: unknown): value is Bench {
  return typeof value === 'object' && value !== null && 'title' in value && 'run' in value;
}
