/** A number as it is typed, with its bounds and what is wrong with it. */
import { useId } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { boundWords, faultOf, isWhole, type NumberOption, OPTION_WORDS } from '../logic/options.ts';

interface Props {
  name: NumberOption;
  data: PageData;
  typed: string;
  refusal: string | undefined;
  onTyped(typed: string): void;
}

export function NumberField({ name, data, typed, refusal, onTyped }: Props) {
  const id = useId();
  const { title, meaning } = OPTION_WORDS[name];
  const fault = faultOf(name, typed, data) ?? refusal;
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <input
        id={id}
        inputMode={isWhole(name) ? 'numeric' : 'decimal'}
        autocomplete="off"
        value={typed}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onTyped(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} class="small">
        {fault && <div class="fault">{fault}</div>}
        <div class="soft">
          {meaning} {boundWords(name, data)}
        </div>
      </div>
    </div>
  );
}
