import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { summarise, summaryRoles } from '../../../packages/synthesis/judge/entities/entitySummaries.ts';
import { measureEntities } from '../../../packages/synthesis/judge/entities/measureEntities.ts';
import { sequenceCopies } from '../../../packages/synthesis/judge/entities/sequenceCopies.ts';
import { type EntityRows, startsOf } from '../../../packages/synthesis/table/entityRows.ts';

/** Entities whose number walks up and down, each with a colour of its own. */
function walks(entities: number, seed: number, { rows = 8, isMixed = false } = {}): EntityRows {
  const random = createStream(seed, 'walks');
  const [keys, x, colour]: [string[], number[], number[]] = [[], [], []];
  for (let entity = 0; entity < entities; entity++) {
    let at = random.integer(30);
    const own = random.integer(3);
    for (let row = 0; row < rows + random.integer(3); row++) {
      keys.push(`${seed}-${entity}`);
      x.push(isMixed ? random.integer(30) : at);
      colour.push(own);
      at += random.integer(5) - 2;
    }
  }
  const table = {
    rows: keys.length,
    columns: new Map([
      ['k', { kind: 'text' as const, name: 'k', values: keys }],
      ['x', { kind: 'numeric' as const, name: 'x', values: Float64Array.from(x) }],
      [
        'colour',
        { kind: 'category' as const, name: 'colour', codes: Int32Array.from(colour), levels: ['a', 'b', 'c'] },
      ],
    ]),
  };
  return { table, starts: startsOf(table, 'k') };
}

const settings = (seed = 1) => ({
  names: ['x'],
  all: ['x', 'colour'],
  key: 'k',
  random: createStream(seed, 'measure'),
});

describe('figures of entities', () => {
  const [train, holdout] = [walks(900, 1), walks(200, 2)];

  it('of fresh real entities are as good as those held out', () => {
    const { coherence, lengths, sequence_copies } = measureEntities(
      { train, holdout, synthetic: walks(800, 3) },
      settings(),
    );
    expect([coherence.verdict, lengths.verdict, sequence_copies.verdict]).toEqual(['as good', 'as good', 'as good']);
    expect(coherence.value).toBeGreaterThan(coherence.independent! + 0.2);
  });

  it('say so where no row follows from the one before it, and where entities are longer', () => {
    const mixed = measureEntities({ train, holdout, synthetic: walks(800, 3, { isMixed: true }) }, settings());
    expect([mixed.coherence.verdict, mixed.lengths.verdict]).toEqual(['worse', 'as good']);
    const longer = measureEntities({ train, holdout, synthetic: walks(800, 3, { rows: 9 }) }, settings());
    expect(longer.lengths.verdict).toBe('worse');
  });

  it('find entities that are real ones but for a cell or two, and no others', () => {
    const x = train.table.columns.get('x')!;
    const values = x.kind === 'numeric' ? x.values.map((value, row) => (row % 9 === 4 ? value + 40 : value)) : [];
    const copy = {
      ...train.table,
      columns: new Map(train.table.columns).set('x', { kind: 'numeric', name: 'x', values: Float64Array.from(values) }),
    };
    const random = createStream(1, 'copies');
    const near = sequenceCopies({ ...train, table: copy }, train, ['x', 'colour'], random);
    expect(near.filter((flag) => flag === 1).length / near.length).toBeGreaterThan(0.95);
    const others = sequenceCopies(holdout, train, ['x', 'colour'], random);
    // Half of the cells is the colour: of so short walks about one in ten lies within a cell or two of another by chance.
    expect(others.filter((flag) => flag === 1).length / others.length).toBeLessThan(0.25);
  });

  it('rest on a row an entity for attacks: what is constant in it, and its columns summed up', () => {
    const constants = new Set(['colour']);
    const { continuous, categorical } = summaryRoles(
      { target: null, continuous: ['x'], categorical: ['colour'], text: [] },
      constants,
      holdout.table,
    );
    const summary = summarise(holdout, constants);
    expect(summary.rows).toBe(200);
    for (const name of continuous) {
      const column = summary.columns.get(name);
      expect(column?.kind === 'numeric' && column.values.length).toBe(200);
    }
    expect(categorical).toEqual(['colour']);
    const [first] = [holdout.starts[1]! - holdout.starts[0]!];
    const rows = summary.columns.get('rows of the entity');
    expect(rows?.kind === 'numeric' && rows.values[0]).toBe(first);
  });
});
