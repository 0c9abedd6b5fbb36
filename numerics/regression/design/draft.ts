/** A design in the making: parts, the columns they ask for, and the pools these share. */
import type { DesignPool, DroppedColumn, Part } from './design.ts';

export interface DraftColumn {
  name: string;
  perUnit: number | null;
}

export class Draft {
  readonly columns: DraftColumn[] = [{ name: 'intercept', perUnit: null }];
  readonly pools: DesignPool[] = [];
  readonly parts: Part[] = [];
  readonly dropped: DroppedColumn[] = [];

  /** Its place. */
  addColumn(name: string, perUnit: number | null): number {
    return this.columns.push({ name, perUnit }) - 1;
  }

  addPool(name: string, columns: readonly number[], sd: number): void {
    this.pools.push({ name, columns: [...columns], sds: columns.map(() => sd) });
  }

  drop(name: string, reason: string): void {
    this.dropped.push({ name, reason });
  }
}
