import { describe, expect, it } from 'vitest';
import type { NamedRoles } from '../../cli/parsedCommand.ts';
import { parseOptions } from '../../cli/parseOptions.ts';
import { choiceLines, chooseRoles, requestOf } from '../../cli/roles.ts';
import type { UploadReply } from '../../packages/client/contract.ts';
import type { Role } from '../../packages/contract/columns.ts';
import { roleFields } from '../../packages/contract/roles.ts';

const SUGGESTED: Record<string, Role> = { y: 'target', x: 'continuous', 'a,b': 'categorical', t: 'text', id: 'ignore' };

const upload: UploadReply = {
  job_id: 'j',
  columns: Object.keys(SUGGESTED),
  col_types: {},
  n_rows: 2,
  warnings: [],
  profile: {
    columns: Object.entries(SUGGESTED).map(([name, suggested_role]) => ({
      name,
      suggested_role,
      kind: 'continuous',
      confidence: 1,
      evidence: [],
      runner_up: null,
      format: null,
      missing: 0,
      missing_tokens: [],
      distinct: 2,
      picture: null,
    })),
    relations: [],
  },
};

const NOTHING: NamedRoles = { target: null, noTarget: false, continuous: [], categorical: [], text: [], ignore: [] };
const choose = (named: Partial<NamedRoles>, { auto } = { auto: false }) =>
  Object.fromEntries(chooseRoles(upload, { ...NOTHING, ...named }, { auto }));

describe('chooseRoles', () => {
  it('takes what is suggested, and what is named before it', () => {
    expect(choose({}, { auto: true })).toEqual(SUGGESTED);
    expect(choose({ categorical: ['x'], ignore: ['t'] }, { auto: true })).toEqual({
      ...SUGGESTED,
      x: 'categorical',
      t: 'ignore',
    });
  });

  it('says what it chose without being told: the target with its reason, and what is left out', () => {
    const suggested_target = { column: 'y', reason: 'it is the last number in the table' };
    const suggested_entity = { column: 'id', reason: 'keys', order: { column: 'x', reason: 'it rises' } };
    const said = (...options: string[]) => {
      const command = parseOptions(['t.csv', ...options], {});
      if (command.kind !== 'make') throw new Error('no table is made');
      const shown = { ...upload, suggested_target, suggested_entity };
      return choiceLines(shown, requestOf(shown, command), command);
    };
    const target = 'target: y (it is the last number in the table)';
    const entity = '"id" repeats. Add --entity "id" --order "x", or rows of one id will not fit together';
    expect(said('--auto')).toEqual([target, 'left out: id (continuous)', entity]);
    expect(said('--auto', '--entity', 'id')).toEqual([target, 'left out: id (continuous)']);
    expect(said('--auto', '-t', 'x', '--text', 'id', '--ignore', 't')).toEqual([entity]);
    expect(said('--continuous', 'x')).toEqual([]);
  });

  it('says that there is to be no target where none is named and there is no text', () => {
    const fields = (named: Partial<NamedRoles>) =>
      roleFields(chooseRoles(upload, { ...NOTHING, ...named }, { auto: false }));
    expect(fields({ categorical: ['x'] })).toMatchObject({ target_col: null, target: 'none' });
    expect(fields({ text: ['t'] })).not.toHaveProperty('target');
    expect(fields({ target: 'y' })).not.toHaveProperty('target');
  });

  it('makes a suggested target continuous where another one is named', () => {
    expect(choose({ target: 'x' }, { auto: true })).toEqual({ ...SUGGESTED, x: 'target', y: 'continuous' });
  });

  it('leaves out what is not named where nothing is to be suggested', () => {
    const roles = choose({ target: 'y', continuous: ['x,id'] });
    expect(roles).toEqual({ y: 'target', x: 'continuous', id: 'continuous', 'a,b': 'ignore', t: 'ignore' });
    expect(roleFields(new Map(Object.entries(roles)))).toEqual({
      target_col: 'y',
      continuous_cols: ['x', 'id'],
      categorical_cols: [],
      text_cols: [],
    });
  });

  it('says which name was meant by one that is misspelt', () => {
    expect(() => choose({ target: 'nothing' })).toThrow('there is no column "nothing". The columns are');
  });

  it('takes a name with a comma whole where there is such a column, and splits it where not', () => {
    expect(choose({ categorical: ['a,b', 'x, id'] })).toMatchObject({
      'a,b': 'categorical',
      x: 'categorical',
      id: 'categorical',
    });
  });

  it('refuses a name that is no column, listing those that are, and a column in two roles', () => {
    expect(() => choose({ text: ['z'] })).toThrow(
      '--text: there is no column "z". The columns are "y", "x", "a,b", "t" and "id".',
    );
    expect(() => choose({ target: 'x', continuous: ['x'] })).toThrow('"x" is named in --target and in --continuous');
  });
});
