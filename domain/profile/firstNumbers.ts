/** Where numbers of a kind stand first: what a refusal names. */
import type { NumberFormat } from '../dress/dress.ts';
import type { ColumnProfile } from './profile.ts';

interface Placed {
  value: number;
  row: number;
}

export class FirstNumbers {
  private min: Placed = { value: Number.POSITIVE_INFINITY, row: 0 };
  private max: Placed = { value: Number.NEGATIVE_INFINITY, row: 0 };
  private zero: number | null = null;
  private fraction: Placed | null = null;

  /** Rows come in ascending order. */
  add(value: number, row: number): void {
    if (value < this.min.value) this.min = { value, row };
    if (value > this.max.value) this.max = { value, row };
    if (value === 0) this.zero ??= row;
    else if (this.fraction === null && !Number.isInteger(value)) this.fraction = { value, row };
  }

  /** All numbers of this value stood for missing cells. */
  remove(value: number): void {
    if (value === 0) this.zero = null;
  }

  /** Least and greatest are null where they are not those of the format: they have been taken out. */
  summary({ min, max }: NumberFormat): NonNullable<ColumnProfile['numbers']>['first'] {
    return {
      min: this.min.value === min ? this.min : null,
      max: this.max.value === max ? this.max : null,
      zero: this.zero,
      fraction: this.fraction,
    };
  }
}
