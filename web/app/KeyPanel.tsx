import { useEffect, useId, useState } from 'preact/hooks';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf, serviceFor } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface FormProps {
  refusal: PageProblem | undefined;
  onEnter(key: string): void;
}

export function KeyForm({ refusal, onEnter }: FormProps) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState(refusal);
  const [isChecking, setChecking] = useState(false);
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = typed.trim();
    setChecking(true);
    setError(undefined);
    try {
      await serviceFor(key).health();
      onEnter(key);
    } catch (caught) {
      setError(problemOf(caught));
      setChecking(false);
    }
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <ViewHeading id={`${id}-title`} view="Your key">
        Generate a synthetic table
      </ViewHeading>
      <p>
        Upload a table and download a synthetic one that behaves like it, with a report of its quality and privacy.
        First, enter your key.
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
      <p id={`${id}-hint`} class="soft">
        Ask whoever runs this server for a key. It is kept in this tab only.
      </p>
      <Problem error={error} />
    </section>
  );
}

interface InUseProps {
  value: string;
  onForget(): void;
  /** Called for an unknown key. */
  onRefused(error: PageProblem): void;
}

export function KeyInUse({ value, onForget, onRefused }: InUseProps) {
  useEffect(() => {
    serviceFor(value)
      .health()
      .catch((caught) => {
        const problem = problemOf(caught);
        if (problem.code === 'unauthorized') onRefused(problem);
      });
  }, [value]);
  return (
    <span class="keyline">
      <span class="soft small">
        Key …<code>{value.slice(-4)}</code>
      </span>
      <button type="button" class="quiet" onClick={onForget}>
        Forget key
      </button>
    </span>
  );
}
