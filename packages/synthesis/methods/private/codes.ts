/** Codes cells by the request's domain alone. */
import type { ColumnDomain } from '../../../contract/privacy.ts';
import { isMissing } from '../../../tables/missing.ts';
import { type CellColumn, MISSING } from '../../../tables/table.ts';
import type { ModelColumn } from '../../models/model.ts';

/** Codes are level indexes, or units of the last decimal above the minimum. */
export interface CodedColumn {
  name: string;
  domain: ColumnDomain;
  size: number;
  /** `MISSING` for empty cells. */
  codes: Int32Array;
  /** Cells outside the domain, clamped or counted as missing. Affects nothing released. */
  altered: number;
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

export const isLevels = (domain: ColumnDomain): domain is Extract<ColumnDomain, { levels: string[] }> =>
  'levels' in domain;

/** Number of possible codes. */
export const sizeOf = (domain: ColumnDomain): number =>
  isLevels(domain) ? domain.levels.length : Math.round((domain.max - domain.min) * 10 ** domain.decimals) + 1;

export function codeColumn(cells: CellColumn, domain: ColumnDomain): CodedColumn {
  const read = isLevels(domain) ? levelReader(domain.levels) : numberReader(domain);
  const readings = cells.levels.map(read);
  let altered = 0;
  const codes = Int32Array.from(cells.codes, (code) => {
    const reading = code === MISSING ? undefined : readings[code];
    if (reading?.isAltered) altered++;
    return reading?.code ?? MISSING;
  });
  return { name: cells.name, domain, size: sizeOf(domain), codes, altered };
}

interface Reading {
  code: number;
  isAltered: boolean;
}

function levelReader(levels: readonly string[]): (text: string) => Reading {
  const codeOf = new Map(levels.map((level, code) => [level, code]));
  const trimmed = new Map(levels.map((level, code) => [level.trim(), code]));
  return (text) => {
    const code = codeOf.get(text) ?? trimmed.get(text.trim());
    return { code: code ?? MISSING, isAltered: code === undefined && !isMissing(text) };
  };
}

function numberReader(domain: Exclude<ColumnDomain, { levels: string[] }>): (text: string) => Reading {
  const { min, max, decimals } = domain;
  const last = sizeOf(domain) - 1;
  return (text) => {
    if (isMissing(text)) return { code: MISSING, isAltered: false };
    const trimmed = text.trim();
    if (!NUMBER.test(trimmed)) return { code: MISSING, isAltered: true };
    const value = Number(trimmed);
    const unit = Math.round((Math.min(max, Math.max(min, value)) - min) * 10 ** decimals);
    return { code: Math.min(last, Math.max(0, unit)), isAltered: value < min || value > max };
  };
}

export function decodeColumn({ name, domain, codes }: Pick<CodedColumn, 'name' | 'domain' | 'codes'>): ModelColumn {
  if (isLevels(domain)) return { kind: 'category', name, codes: codes.slice(), levels: domain.levels };
  const { min, decimals } = domain;
  const scale = 10 ** decimals;
  const values = Float64Array.from(codes, (code) =>
    code === MISSING ? Number.NaN : Number((min + code / scale).toFixed(decimals)),
  );
  return { kind: 'numeric', name, values };
}
