/** The visitor's key: entered once, checked against the service, kept in this tab. */
import { useEffect, useId, useState } from 'preact/hooks';
import { Api, type ApiError, asApiError } from './api.ts';
import { Problem } from './Problem.tsx';

interface Props {
  value: string;
  onEnter(key: string): void;
  onForget(): void;
}

export function KeyPanel({ value, onEnter, onForget }: Props) {
  return value === '' ? <KeyForm onEnter={onEnter} /> : <KeyInUse value={value} onForget={onForget} />;
}

function KeyForm({ onEnter }: Pick<Props, 'onEnter'>) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const [isChecking, setChecking] = useState(false);
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = typed.trim();
    setChecking(true);
    setError(undefined);
    try {
      await new Api(key).health();
      onEnter(key);
    } catch (caught) {
      setError(asApiError(caught));
      setChecking(false);
    }
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Your key</h2>
      <p id={`${id}-hint`}>
        The operator of this service gives it to you. It stays in this browser tab and is forgotten when you close it.
      </p>
      <form class="line" onSubmit={submit}>
        <label for={id}>API key</label>
        <input
          id={id}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={typed}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isChecking || typed.trim() === ''}>
          {isChecking ? 'Checking…' : 'Use this key'}
        </button>
      </form>
      <Problem error={error} />
    </section>
  );
}

function KeyInUse({ value, onForget }: { value: string; onForget(): void }) {
  const [gpu, setGpu] = useState<string>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    new Api(value)
      .health()
      .then((health) => setGpu(health.gpu_available ? (health.gpu_name ?? 'a GPU') : undefined))
      .catch((caught) => setError(asApiError(caught)));
  }, [value]);
  return (
    <>
      <div class="keyline">
        <span>
          Key ending in <code>{value.slice(-4)}</code>
          {gpu && <span class="soft"> · texts are learnt on {gpu}</span>}
        </span>
        <button type="button" class="quiet" onClick={onForget}>
          Forget this key
        </button>
      </div>
      <Problem error={error} />
    </>
  );
}
