/** Summaries of an entity's earlier rows, per column. */

export type ColumnKind = 'numeric' | 'category';

/** Cells are numbers, or 0 (missing) and k + 1 (level k); NaN marks none yet, or a missing number. */
export class ColumnHistory {
  readonly kind: ColumnKind;
  readonly last: Float64Array;
  readonly before: Float64Array;
  readonly first: Float64Array;
  /** Last different cell, and length of the run. */
  readonly other: Float64Array;
  readonly run: Float64Array;
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

export const ASPECTS = ['last', 'before', 'first', 'other', 'run', 'moves', 'mean'] as const;
export type Aspect = (typeof ASPECTS)[number];

export const OWN_ASPECTS: Readonly<Record<ColumnKind, readonly Aspect[]>> = {
  numeric: ['last', 'before', 'first', 'mean', 'run', 'moves'],
  category: ['last', 'before', 'first', 'other', 'run', 'moves'],
};

export const isLevelAspect = (kind: ColumnKind, aspect: Aspect): boolean =>
  kind === 'category' && !['run', 'moves', 'mean'].includes(aspect);

export const aspectOf = (history: ColumnHistory, aspect: Aspect, entity: number): number =>
  aspect === 'mean' ? history.mean(entity) : history[aspect][entity]!;
