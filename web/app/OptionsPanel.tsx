/** Options with their bounds; those that the roles make pointless are not shown. */
import { useId } from 'preact/hooks';
import { familyName } from '../../packages/words/format.ts';
import type { FamilyName, PageData } from '../logic/contract.ts';
import {
  boundWords,
  CONDITIONS_EXAMPLE,
  callbackFault,
  faultOf,
  isWhole,
  type NumberOption,
  OPTION_WORDS,
  type Options,
  readConditions,
} from '../logic/options.ts';
import { type PageProblem, saidOf } from './service.ts';

interface Props {
  data: PageData;
  options: Options;
  hasTarget: boolean;
  hasText: boolean;
  /** Of the upload. */
  rows: number;
  /** Why the service refused the options, or why the job failed with those before. */
  refused: PageProblem | undefined;
  onOptions(options: Options): void;
}

export function OptionsPanel({ data, options, hasTarget, hasText, rows, refused, onOptions }: Props) {
  const setNumber = (name: NumberOption, typed: string) =>
    onOptions({ ...options, numbers: { ...options.numbers, [name]: typed } });
  const shown: NumberOption[] = [
    'n_samples',
    'seed',
    ...(hasTarget ? (['draws', 'tune'] as const) : []),
    ...(hasText ? (['text_epochs', 'text_temperature', 'text_nucleus'] as const) : []),
  ];
  const said = (name: string) => saidOf(refused, name);
  return (
    <div class="options">
      {shown.map((name) => (
        <NumberField
          key={name}
          name={name}
          data={data}
          typed={options.numbers[name]}
          refusal={said(name)}
          onTyped={(typed) => setNumber(name, typed)}
        />
      ))}
      {hasTarget && (
        <FamilyField
          families={data.families}
          value={options.family}
          refusal={said('family')}
          onFamily={(family) => onOptions({ ...options, family })}
        />
      )}
      <TickField
        title="Keep rare categories"
        meaning="Categories that only a few rows have can identify a person. Unless you select this, they are replaced by others."
        value={options.keepRare}
        refusal={said('keep_rare')}
        onValue={(keepRare) => onOptions({ ...options, keepRare })}
      />
      {rows < data.minRealRows && (
        <TickField
          title="Allow few rows"
          meaning={`The table has fewer than ${data.minRealRows} rows, and its synthetic copy may show nearly each of them. If you select this, the copy is made and withheld until it is released.`}
          value={options.allowsFewRows}
          refusal={said('allow_few_rows')}
          onValue={(allowsFewRows) => onOptions({ ...options, allowsFewRows })}
        />
      )}
      <TickField
        title="Strict release policy"
        meaning="Copies of real rows and texts are redrawn. If evidence of copying remains, the rows are withheld until they are released. The release policy of the service applies in any case."
        value={options.isStrict}
        refusal={said('policy')}
        onValue={(isStrict) => onOptions({ ...options, isStrict })}
      />
      <ConditionsField
        value={options.conditions}
        refusal={said('conditions')}
        onValue={(conditions) => onOptions({ ...options, conditions })}
      />
      <InputField
        title="Webhook URL"
        meaning="An https address that gets a signed POST when the job ends. Optional."
        kind="url"
        typed={options.callback}
        fault={callbackFault(options.callback) ?? said('callback_url')}
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
      <label for={id}>Family</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {families.map((family) => (
          <option key={family} value={family}>
            {familyName(family)}
          </option>
        ))}
      </select>
      <div id={`${id}-hint`} class="small">
        {refusal && <div class="fault">{refusal}</div>}
        <div class="soft">Distribution of the target given the other columns. auto compares the families that fit.</div>
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
  const fault = readConditions(value) ? refusal : 'Not valid JSON, or not a list of conditions. See the example below.';
  return (
    <div class="field">
      <label for={id}>Conditions</label>
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
          Conditions that the rows must meet, as JSON. Optional. For example{' '}
          <code class="breaks">{CONDITIONS_EXAMPLE}</code>
        </div>
      </div>
    </div>
  );
}

// Fields of a form, each with what it means and what is wrong with what is typed.

interface InputProps {
  title: string;
  meaning: string;
  kind: 'numeric' | 'decimal' | 'url';
  typed: string;
  fault: string | undefined;
  onTyped(typed: string): void;
}

function InputField({ title, meaning, kind, typed, fault, onTyped }: InputProps) {
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

/** A number with its bounds. */
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
