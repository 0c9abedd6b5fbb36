/** Options with their bounds; those that the roles make pointless are not shown. */
import { useId } from 'preact/hooks';
import { CONDITIONS_EXAMPLE, readConditions } from '../logic/conditions.ts';
import type { FamilyName, PageData } from '../logic/contract.ts';
import { familyWords } from '../logic/familyWords.ts';
import { callbackFault, type NumberOption, type Options } from '../logic/options.ts';
import { InputField } from './InputField.tsx';
import { NumberField } from './NumberField.tsx';

interface Props {
  data: PageData;
  options: Options;
  hasTarget: boolean;
  hasText: boolean;
  /** What the service said of an option, by its field's name. */
  refused: { field: string; message: string } | undefined;
  onOptions(options: Options): void;
}

export function OptionsPanel({ data, options, hasTarget, hasText, refused, onOptions }: Props) {
  const setNumber = (name: NumberOption, typed: string) =>
    onOptions({ ...options, numbers: { ...options.numbers, [name]: typed } });
  const shown: NumberOption[] = [
    'n_samples',
    'seed',
    ...(hasTarget ? (['draws', 'tune'] as const) : []),
    ...(hasText ? (['text_epochs', 'text_temperature', 'text_nucleus'] as const) : []),
  ];
  const saidOf = (field: string) => (refused?.field === field ? refused.message : undefined);
  return (
    <div class="options">
      {shown.map((name) => (
        <NumberField
          key={name}
          name={name}
          data={data}
          typed={options.numbers[name]}
          refusal={saidOf(name)}
          onTyped={(typed) => setNumber(name, typed)}
        />
      ))}
      {hasTarget && (
        <FamilyField
          families={data.families}
          value={options.family}
          refusal={saidOf('family')}
          onFamily={(family) => onOptions({ ...options, family })}
        />
      )}
      <TickField
        title="Keep rare categories"
        meaning="Levels that only a few rows have can point to a person: unless you tick this, others stand in their place."
        value={options.keepRare}
        refusal={saidOf('keep_rare')}
        onValue={(keepRare) => onOptions({ ...options, keepRare })}
      />
      <TickField
        title="Withhold rows that come too near to real ones"
        meaning="Copies of real rows and texts are drawn anew; where evidence of copying is left, nobody gets the rows until you give them out. Unless you tick this, the operator's own policy holds."
        value={options.isStrict}
        refusal={saidOf('policy')}
        onValue={(isStrict) => onOptions({ ...options, isStrict })}
      />
      <ConditionsField
        value={options.conditions}
        refusal={saidOf('conditions')}
        onValue={(conditions) => onOptions({ ...options, conditions })}
      />
      <InputField
        title="Address to call at the end"
        meaning="An https address that is told by a signed POST when the job ends; empty for none."
        kind="url"
        typed={options.callback}
        fault={callbackFault(options.callback) ?? saidOf('callback_url')}
        onTyped={(callback) => onOptions({ ...options, callback })}
      />
    </div>
  );
}

interface FamilyFieldProps {
  families: readonly FamilyName[];
  value: FamilyName;
  refusal: string | undefined;
  onFamily(family: FamilyName): void;
}

function FamilyField({ families, value, refusal, onFamily }: FamilyFieldProps) {
  const id = useId();
  const choose = (chosen: string) => {
    const family = families.find((known) => known === chosen);
    if (family) onFamily(family);
  };
  return (
    <div class="field">
      <label for={id}>Family of the target</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {families.map((family) => (
          <option key={family} value={family}>
            {familyWords(family)}
          </option>
        ))}
      </select>
      <div id={`${id}-hint`} class="small">
        {refusal && <div class="fault">{refusal}</div>}
        <div class="soft">
          The kind of distribution that the target has, given the others. auto compares those that fit.
        </div>
      </div>
    </div>
  );
}

interface TickFieldProps {
  title: string;
  meaning: string;
  value: boolean;
  refusal: string | undefined;
  onValue(value: boolean): void;
}

function TickField({ title, meaning, value, refusal, onValue }: TickFieldProps) {
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
      <div id={id} class="small">
        {refusal && <div class="fault">{refusal}</div>}
        <div class="soft">{meaning}</div>
      </div>
    </div>
  );
}

interface ConditionsFieldProps {
  value: string;
  refusal: string | undefined;
  onValue(value: string): void;
}

function ConditionsField({ value, refusal, onValue }: ConditionsFieldProps) {
  const id = useId();
  const fault = readConditions(value) ? refusal : 'This is no list of conditions in JSON. The example below is one.';
  return (
    <div class="field">
      <label for={id}>Conditions on rows</label>
      <textarea
        id={id}
        rows={2}
        spellcheck={false}
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <div id={`${id}-hint`} class="small">
        {fault && <div class="fault">{fault}</div>}
        <div class="soft">
          What rows have to meet, as JSON; empty for nothing. For example{' '}
          <code class="breaks">{CONDITIONS_EXAMPLE}</code>
        </div>
      </div>
    </div>
  );
}
