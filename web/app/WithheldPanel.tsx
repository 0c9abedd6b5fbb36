/** Rows that the release policy holds back: why, and the owner's decision. */
import { useId, useState } from 'preact/hooks';
import { type Api, type ApiError, asApiError } from './api.ts';
import { Problem } from './Problem.tsx';

interface Props {
  api: Api;
  id: string;
  reasons: readonly string[];
  onReleased(): void;
}

export function WithheldPanel({ api, id, reasons, onReleased }: Props) {
  const [error, setError] = useState<ApiError>();
  const [isSure, setSure] = useState(false);
  const title = useId();
  const release = async () => {
    try {
      await api.release(id);
      onReleased();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <section class="card verdict poor" aria-labelledby={title}>
      <h2 id={title}>The rows are withheld</h2>
      <p>The release policy of this job is not met:</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p>You can upload the file again and choose other roles or fewer passes over texts, or decide yourself:</p>
      <div class="line">
        {isSure ? (
          <>
            <button type="button" class="danger" onClick={release}>
              I have read this: give the rows out
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep them withheld
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Give the rows out all the same…
          </button>
        )}
      </div>
      <Problem error={error} />
    </section>
  );
}
