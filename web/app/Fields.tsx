import { useId } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { boundWords, faultOf, isWhole, type NumberOption, OPTION_WORDS } from '../logic/options.ts';

interface InputProps {
  title: string;
  meaning: string;
  kind: 'numeric' | 'decimal' | 'url';
  typed: string;
  fault: string | undefined;
  onTyped(typed: string): void;
}

export function InputField({ title, meaning, kind, typed, fault, onTyped }: InputProps) {
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
      <Hint id={`${id}-hint`} fault={fault} meaning={meaning} />
    </div>
  );
}

export function Hint({ id, fault, meaning }: { id: string; fault: string | undefined; meaning: string }) {
  return (
    <div id={id} class="small">
      {fault && <div class="fault">{fault}</div>}
      <div class="soft">{meaning}</div>
    </div>
  );
}

interface NumberProps {
  name: NumberOption;
  data: PageData;
  typed: string;
  refusal: string | undefined;
  onTyped(typed: string): void;
}

export function NumberField({ name, data, typed, refusal, onTyped }: NumberProps) {
  const { title, meaning } = OPTION_WORDS[name];
  return (
    <InputField
      title={title}
      meaning={`${meaning} ${boundWords(name, data)}`}
      kind={isWhole(name) ? 'numeric' : 'decimal'}
      typed={typed}
      fault={faultOf(name, typed, data) ?? refusal}
      onTyped={onTyped}
    />
  );
}

interface TickProps {
  title: string;
  meaning: string;
  value: boolean;
  refusal: string | undefined;
  onValue(value: boolean): void;
}

export function TickField({ title, meaning, value, refusal, onValue }: TickProps) {
  const id = useId();
  return (
    <div class="field">
      <label>
        <input
          type="checkbox"
          checked={value}
          aria-describedby={id}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />{' '}
        {title}
      </label>
      <Hint id={id} fault={refusal} meaning={meaning} />
    </div>
  );
}
