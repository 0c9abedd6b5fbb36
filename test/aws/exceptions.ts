/** Portable tests that the emulator, not the service, makes impossible: each with the reason. Nothing else is left out. */
export interface Exception {
  /** End of the file's path. */
  file: string;
  title: string;
  because: string;
}

export const EXCEPTIONS: readonly Exception[] = [];
