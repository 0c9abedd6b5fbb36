/** A number as it is typed, with its bounds and what is wrong with it. */
import type { PageData } from '../logic/contract.ts';
import { boundWords, faultOf, isWhole, type NumberOption, OPTION_WORDS } from '../logic/options.ts';
import { InputField } from './InputField.tsx';

interface Props {
  name: NumberOption;
  data: PageData;
  typed: string;
  refusal: string | undefined;
  onTyped(typed: string): void;
}

export function NumberField({ name, data, typed, refusal, onTyped }: Props) {
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
