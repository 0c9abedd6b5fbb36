import { allFakers } from '@faker-js/faker';
import { describe, expect, it } from 'vitest';
import { FIT_SETTINGS } from '../../../../bench/support/fitSettings.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { ModelColumn, TextColumn } from '../../../../packages/synthesis/models/model.ts';
import { languageModel } from '../../../../packages/synthesis/models/text/languageModel.ts';

const ROWS = 300;
const faker = allFakers.en;
faker.seed(4);
const text = (name: string, make: (row: number) => string): TextColumn => ({
  kind: 'text' as const,
  name,
  values: Array.from({ length: ROWS }, (_, row) => make(row)),
});
const street = text('street', () => faker.location.streetAddress());
const town = text('town', () => faker.location.city());
const person = text('name', () => faker.person.fullName());
const address = text('address', (row) => `${street.values[row]}, ${town.values[row]}`);
const columns = new Map<string, ModelColumn>([person, address, town, street].map((own) => [own.name, own]));
const names = [...columns.keys()];

describe('columns of texts that are put together', () => {
  it('need no network, agree within a row, hold no real text, and are the same from a saved model', async () => {
    const written: string[] = [];
    const fitted = await languageModel.fit({
      table: { rows: ROWS, columns },
      columns: names,
      given: [],
      settings: FIT_SETTINGS,
      random: createStream(1, 'fit'),
      onProgress: async (event) => {
        if (event.fact === 'text_writer_chosen') written.push(`${event.column} ${event.writer}`);
      },
      yieldToEventLoop: async () => {},
      openText: () => Promise.reject(new Error('not asked for')),
    });
    expect(written).toEqual(['name name_lists', 'address cells_of_the_row', 'town name_lists', 'street name_lists']);
    const sample = async (of: typeof fitted) => {
      const task = { rows: 200, made: { rows: 200, columns: new Map() }, random: createStream(2, 'sample') };
      const made = await of.sample({ ...task, onProgress: async () => {} });
      return new Map(made.map((column) => [column.name, column.kind === 'text' ? column.values : []]));
    };
    const made = await sample(fitted);
    expect(made.get('address')).toEqual(made.get('street')!.map((own, row) => `${own}, ${made.get('town')![row]}`));
    for (const real of [street, town, person, address]) {
      const own = new Set(real.values);
      // Towns of five rows or more would be no one's; there are none here.
      expect(made.get(real.name)!.filter((cell) => own.has(cell))).toEqual([]);
    }
    expect(await sample(languageModel.restore(JSON.parse(JSON.stringify(fitted.save()))))).toEqual(made);
  });
});
