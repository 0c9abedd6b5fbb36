import type { ComponentChildren } from 'preact';
import type { PageProblem } from './service.ts';

/** Next steps beyond the message. */
const NEXT: Record<string, string> = {
  unauthorized: 'Enter the key again, or ask whoever runs this server for a new one.',
  connection_failed: 'Nothing was lost. Try again in a moment.',
  capacity_exceeded: 'Your roles and options are kept. Try again later.',
  job_conflict: 'Open "My jobs" to see the job, or upload the file again for a new one.',
  page_fault: 'Something went wrong on this page. Reload it; your job is not affected.',
};

export function Problem({ error, children }: { error: PageProblem | undefined; children?: ComponentChildren }) {
  return (
    <div role="alert">
      {error && (
        <div class="problem">
          <p>
            <strong>{error.message}</strong>
          </p>
          {NEXT[error.code] && <p>{NEXT[error.code]}</p>}
          {error.retryAfter !== undefined && <p>Try again in {error.retryAfter} s.</p>}
          {children}
          <p class="code">
            <code>{error.code}</code>
          </p>
        </div>
      )}
    </div>
  );
}
