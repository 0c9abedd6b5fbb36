import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ColumnKind, Role } from '../../../packages/contract/columns.ts';
import { formatCell, parseCell } from '../../../packages/tables/format/cellFormat.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';

describeShared('kinds of real columns', (dir) => {
  const known = new Map<string, Promise<Profile>>();
  const load = (table: string): Promise<Profile> => {
    const file = `${table}.csv`;
    const profile = known.get(table) ?? profileUpload(bytesOf(readFileSync(join(dir, 'data', file)), 65_536), file);
    known.set(table, profile);
    return profile;
  };
  const columnOf = async (table: string, name: string) =>
    (await load(table)).columns.find((column) => column.name === name);

  it.each<[string, string, ColumnKind, Role, ColumnKind | null]>([
    ['titanic', 'PassengerId', 'identifier', 'categorical', 'continuous'],
    ['titanic', 'Survived', 'categorical', 'categorical', 'continuous'],
    ['titanic', 'Pclass', 'categorical', 'categorical', 'continuous'],
    ['titanic', 'Name', 'text', 'text', 'categorical'],
    ['titanic', 'Sex', 'categorical', 'categorical', null],
    ['titanic', 'Age', 'continuous', 'continuous', 'categorical'],
    ['titanic', 'SibSp', 'continuous', 'continuous', 'categorical'],
    ['titanic', 'Ticket', 'identifier', 'categorical', 'text'],
    ['titanic', 'Fare', 'continuous', 'target', 'categorical'],
    ['titanic', 'Cabin', 'identifier', 'categorical', 'text'],
    ['titanic', 'Embarked', 'categorical', 'categorical', null],
    ['ohlsson_motorcycle', 'zon', 'categorical', 'categorical', 'continuous'],
    ['ohlsson_motorcycle', 'antskad', 'continuous', 'continuous', 'categorical'],
    ['nmes1988', 'afam', 'categorical', 'categorical', null],
    ['nmes1988', 'visits', 'continuous', 'continuous', 'categorical'],
    ['adult', 'education_num', 'continuous', 'continuous', 'categorical'],
    ['adult', 'capital_gain', 'continuous', 'continuous', 'categorical'],
    ['airline_tweets', 'tweet_id', 'identifier', 'categorical', 'continuous'],
    ['airline_tweets', 'tweet_created', 'datetime', 'continuous', null],
    ['airline_tweets', 'text', 'text', 'text', null],
    ['coffee_reviews', 'review_date', 'datetime', 'continuous', 'categorical'],
    ['coffee_reviews', 'name', 'text', 'text', null],
    ['oslo_airbnb', 'id', 'identifier', 'categorical', 'continuous'],
    ['oslo_airbnb', 'host_id', 'identifier', 'categorical', 'continuous'],
    ['oslo_airbnb', 'last_review', 'datetime', 'continuous', null],
    ['oslo_airbnb', 'license', 'empty', 'ignore', null],
    ['oslo_airbnb', 'name', 'text', 'text', null],
    ['wine_reviews_au', 'description', 'text', 'text', null],
    ['wine_reviews_au', 'variety', 'categorical', 'categorical', null],
  ])('%s.%s is %s, suggested as %s, else %s', async (table, name, kind, role, next) => {
    const column = await columnOf(table, name);
    expect(column).toMatchObject({ kind, suggested_role: role });
    if (next) expect(column?.runner_up?.kind).toBe(next);
    expect(column?.confidence).toBeGreaterThanOrEqual(column?.runner_up?.confidence ?? 0);
    if (kind !== 'empty') expect(column?.evidence.length).toBeGreaterThan(0);
  });

  it.each([
    ['coffee_reviews', 'review_date', 'Mon-YY', 'month'],
    ['airline_tweets', 'tweet_created', 'M/D/YYYY h:mm', 'minute'],
    ['oslo_airbnb', 'last_review', 'YYYY-MM-DD', 'day'],
  ])('%s.%s is written %s and counted in %ss, and comes back as it was', async (table, name, pattern, unit) => {
    const profile = await load(table);
    const index = profile.columns.findIndex((column) => column.name === name);
    const format = profile.columns[index]?.format;
    expect(format).toMatchObject({ kind: 'time', pattern, unit });
    const cells = (profile.sample.cells[index] ?? []).filter((cell) => cell !== null);
    expect(format && cells.map((cell) => formatCell(parseCell(cell, format) ?? Number.NaN, format))).toEqual(cells);
  });

  it('takes no real number for a missing cell', async () => {
    for (const table of [
      'adult',
      'diamonds',
      'ohlsson_motorcycle',
      'california_housing',
      'titanic',
      'nmes1988',
      'k401k',
    ]) {
      const { columns } = await load(table);
      for (const { missing_tokens } of columns) {
        expect(missing_tokens.filter(([text]) => text !== '' && text !== 'NA')).toEqual([]);
      }
    }
  });

  it('says in which row the first missing cell is', async () => {
    expect((await columnOf('titanic', 'Embarked'))?.evidence.at(-1)).toBe(
      '0.2 % of the cells are missing, mostly empty, the first in row 62',
    );
  });
});
