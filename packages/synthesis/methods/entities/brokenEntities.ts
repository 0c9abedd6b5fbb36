/** Finds entities that break relations between their rows. */

import { dayOf } from '../../models/sequence/columnModel.ts';
import type { EntityRows } from '../../table/entityRows.ts';
import { cellsOf, type Within } from './withinEntities.ts';

export function brokenEntities(rows: EntityRows, relations: readonly Within[]): Uint8Array {
  const broken = new Uint8Array(rows.starts.length - 1);
  for (const relation of relations) {
    const breaks = breakerOf(rows, relation);
    for (let entity = 0; entity < broken.length; entity++) {
      for (let row = rows.starts[entity]!; row < rows.starts[entity + 1]! && broken[entity] === 0; row++) {
        if (breaks(row, row === rows.starts[entity])) broken[entity] = 1;
      }
    }
  }
  return broken;
}

function breakerOf({ table }: EntityRows, relation: Within): (row: number, isFirst: boolean) => boolean {
  if (relation.kind === 'distinct') {
    if (relation.repeats > 0) return () => false;
    const cells = relation.columns.map((name) => cellsOf(table, name));
    let seen = new Set<string>();
    return (row, isFirst) => {
      if (isFirst) seen = new Set();
      const key = cells.map((own) => own[row]).join(' ');
      const isKnown = seen.has(key);
      seen.add(key);
      return isKnown;
    };
  }
  const own = cellsOf(table, relation.column);
  switch (relation.kind) {
    case 'days':
      return (row) => !Number.isNaN(own[row]) && !relation.allowed[dayOf(relation.units, own[row]!)];
    case 'advances': {
      const column = table.columns.get(relation.column);
      const codes = column?.kind === 'category' ? column.levels.map((level) => relation.levels.indexOf(level)) : [];
      const kinds = relation.levels.length;
      return (row, isFirst) => {
        if (isFirst) return false;
        const [from, to] = [codes[own[row - 1]!] ?? -1, codes[own[row]!] ?? -1];
        return from < 0 || to < 0 ? false : relation.follows[from * kinds + to] === 0;
      };
    }
    case 'sum': {
      const parts = relation.parts.map(({ name, sign }) => ({ cells: cellsOf(table, name), sign }));
      const slack = 0.5 * 10 ** -relation.decimals + 1e-6;
      return (row, isFirst) =>
        !isFirst &&
        Math.abs(own[row]! - own[row - 1]! - parts.reduce((sum, { cells, sign }) => sum + sign * cells[row]!, 0)) >
          slack;
    }
    default: {
      const sign = relation.kind === 'rises' ? 1 : -1;
      return (row, isFirst) => {
        const change = sign * (own[row]! - own[row - 1]!);
        return !isFirst && (change < 0 || (relation.strict && change === 0));
      };
    }
  }
}
