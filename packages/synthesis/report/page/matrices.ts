import type { ReportData } from '../../../contract/report.ts';
import { associationCells, type Cell } from '../../../contract/reportScores.ts';
import { clip } from '../../../words/format.ts';
import { escaped } from './markup.ts';

type Associations = ReportData['associations'];

/** Maximum columns for numbered cells. */
const NUMBERED = 16;

const LABEL = 125;
const LONGEST_LABEL = 20;

/** Minimum scale, so that small differences look small. */
const MIN_SCALE = 0.1;

interface Square {
  row: number;
  column: number;
  className: 'more' | 'less' | 'strength';
  /** Darkness (0 to 1). */
  shade: number;
  text: string;
}

/** Synthetic minus real, below the diagonal. */
export function differenceMatrix(associations: Associations): { svg: string; scale: number } {
  const cells = associationCells(associations);
  const scale = Math.max(MIN_SCALE, ...cells.map(({ difference }) => Math.abs(difference)));
  const isNumbered = associations.columns.length <= NUMBERED;
  const squares = cells.map(({ row, column, difference }): Square => {
    const shade = Math.abs(difference) / scale;
    const sign = difference < 0 ? '−' : '+';
    const className = difference < 0 ? 'less' : 'more';
    return { row, column, className, shade, text: isNumbered ? numberOf(difference, sign) : shade > 0.5 ? sign : '' };
  });
  return { svg: matrixSvg(associations.columns, squares, 'Differences of correlations, synthetic minus real'), scale };
}

/** Real below the diagonal, synthetic above. */
export function strengthMatrix(associations: Associations): string {
  const isNumbered = associations.columns.length <= NUMBERED;
  const square = (row: number, column: number, value: number): Square => {
    const text = isNumbered ? numberOf(value, value < 0 ? '−' : '') : value < -0.3 ? '−' : '';
    return { row, column, className: 'strength', shade: Math.abs(value), text };
  };
  const squares = associationCells(associations).flatMap(({ row, column, real, synthetic }: Cell) => [
    square(row, column, real),
    square(column, row, synthetic),
  ]);
  return matrixSvg(associations.columns, squares, 'Associations, real below the diagonal and synthetic above it');
}

/** Such as ".31", "−.08" or "0". */
function numberOf(value: number, sign: string): string {
  const text = Math.abs(value).toFixed(2);
  return text === '0.00' ? '0' : `${sign}${text.replace('0.', '.')}`;
}

function matrixSvg(columns: readonly string[], squares: readonly Square[], label: string): string {
  const size = columns.length <= NUMBERED ? 34 : 14;
  const isWhole = squares.some(({ row, column }) => column > row);
  const [width, height] = [columns.length * size + LABEL, columns.length * size];
  const cells = squares.map(({ row, column, className, shade, text }) => {
    const [x, y] = [column * size, row * size];
    const opacity = Math.round(100 * (0.03 + 0.62 * shade)) / 100;
    const box = `<rect class="${className}" x="${x + 0.5}" y="${y + 0.5}" width="${size - 1}" height="${size - 1}" fill-opacity="${opacity}"/>`;
    return text === '' ? box : `${box}<text class="in" x="${x + size / 2}" y="${y + size / 2 + 3}">${text}</text>`;
  });
  const names = columns.map((name, at) => {
    const x = (isWhole ? columns.length : at) * size + 5;
    return `<text x="${x}" y="${(at + 0.5) * size + 3}">${escaped(clip(name, LONGEST_LABEL))}</text>`;
  });
  const inside = cells.join('') + names.join('');
  return `<svg class="matrix" role="img" aria-label="${escaped(label)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${inside}</svg>`;
}
