/** What the rows of an entity so far say of the next: the rows before it, and their summaries, column by column. */

export type ColumnKind = 'numeric' | 'category';

/** Cells are numbers, or classes of levels: 0 missing, k + 1 level k. NaN where there is none yet, or a number is missing. */
export class ColumnHistory {
  readonly kind: ColumnKind;
  /** Of each entity: the last cell, the one before it, the first; of numbers, those that are there. */
  readonly last: Float64Array;
  readonly before: Float64Array;
  readonly first: Float64Array;
  /** The last cell that differs from the last one, and how many cells in a row are equal to it. */
  readonly other: Float64Array;
  readonly run: Float64Array;
  /** How often it has changed. */
  readonly moves: Float64Array;
  private readonly sum: Float64Array;
  private readonly count: Float64Array;

  constructor(kind: ColumnKind, entities: number) {
    this.kind = kind;
    const none = () => new Float64Array(entities).fill(Number.NaN);
    [this.last, this.before, this.first, this.other] = [none(), none(), none(), none()];
    [this.run, this.moves, this.sum, this.count] = [
      new Float64Array(entities),
      new Float64Array(entities),
      new Float64Array(entities),
      new Float64Array(entities),
    ];
  }

  accept(entity: number, cell: number): void {
    if (Number.isNaN(cell)) return;
    const last = this.last[entity]!;
    if (Number.isNaN(last)) this.first[entity] = cell;
    else if (last !== cell) {
      this.other[entity] = last;
      this.moves[entity]!++;
    }
    this.run[entity] = last === cell ? this.run[entity]! + 1 : 1;
    this.before[entity] = last;
    this.last[entity] = cell;
    this.sum[entity]! += cell;
    this.count[entity]!++;
  }

  mean(entity: number): number {
    return this.sum[entity]! / this.count[entity]!;
  }
}

/** What is asked of a column's history. */
export const ASPECTS = ['last', 'before', 'first', 'other', 'run', 'moves', 'mean'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** Own aspects of the column that is drawn. */
export const OWN_ASPECTS: Readonly<Record<ColumnKind, readonly Aspect[]>> = {
  numeric: ['last', 'before', 'first', 'mean', 'run', 'moves'],
  category: ['last', 'before', 'first', 'other', 'run', 'moves'],
};

export const isLevelAspect = (kind: ColumnKind, aspect: Aspect): boolean =>
  kind === 'category' && !['run', 'moves', 'mean'].includes(aspect);

export const aspectOf = (history: ColumnHistory, aspect: Aspect, entity: number): number =>
  aspect === 'mean' ? history.mean(entity) : history[aspect][entity]!;
