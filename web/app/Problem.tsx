/** An error, where it arose, with what to do next. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from './api.ts';

/** What a visitor of the page can do, beyond what the message says. */
const NEXT: Record<string, string> = {
  unauthorized: 'Enter the key again, or ask the operator of the service for a new one.',
  no_connection: 'Nothing was lost: try again in a moment.',
  capacity_exceeded: 'Your choices stay as they are: start again when a place is free.',
  job_conflict: 'Open "My jobs" to see it, or upload the file again for a new job.',
  page_fault: 'This is a fault of the page. Reload it; the job itself is not touched.',
};

export function Problem({ error, children }: { error: ApiError | undefined; children?: ComponentChildren }) {
  return (
    <div role="alert">
      {error && (
        <div class="problem">
          <p>
            <strong>{error.message}</strong>
          </p>
          {NEXT[error.code] && <p>{NEXT[error.code]}</p>}
          {error.retryAfter !== undefined && <p>The service asks to wait {error.retryAfter} s.</p>}
          {children}
          <p class="code">
            <code>{error.code}</code>
          </p>
        </div>
      )}
    </div>
  );
}
