/** A line that is typed, with what it means and what is wrong with it. */
import { useId } from 'preact/hooks';

interface Props {
  title: string;
  meaning: string;
  kind: 'numeric' | 'decimal' | 'url';
  typed: string;
  fault: string | undefined;
  onTyped(typed: string): void;
}

export function InputField({ title, meaning, kind, typed, fault, onTyped }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <input
        id={id}
        inputMode={kind}
        autocomplete="off"
        value={typed}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onTyped(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} class="small">
        {fault && <div class="fault">{fault}</div>}
        <div class="soft">{meaning}</div>
      </div>
    </div>
  );
}
