/** Cells by the domain that the request gives: nothing but the domain says how they are read. */
import type { ColumnDomain } from '../../contract/privacy.ts';
import { isMissing } from '../../tables/missing.ts';
import { type CellColumn, MISSING } from '../../tables/table.ts';
import type { ModelColumn } from '../models/model.ts';

/** A column as whole numbers: a level's place in the list, or a number in units of its last decimal above the least one. */
export interface CodedColumn {
  name: string;
  domain: ColumnDomain;
  /** Distinct codes that there may be. */
  size: number;
  /** `MISSING` where there is no cell. */
  codes: Int32Array;
  /** Cells that are no part of the domain: numbers moved to its ends, and what counts as missing. Nothing released depends on it. */
  altered: number;
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

export const isLevels = (domain: ColumnDomain): domain is Extract<ColumnDomain, { levels: string[] }> =>
  'levels' in domain;

/** Codes that a column of this domain may have. */
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

/** The column as models and metrics see it. */
export function decodeColumn({ name, domain, codes }: Pick<CodedColumn, 'name' | 'domain' | 'codes'>): ModelColumn {
  if (isLevels(domain)) return { kind: 'category', name, codes: codes.slice(), levels: domain.levels };
  const { min, decimals } = domain;
  const scale = 10 ** decimals;
  const values = Float64Array.from(codes, (code) =>
    code === MISSING ? Number.NaN : Number((min + code / scale).toFixed(decimals)),
  );
  return { kind: 'numeric', name, values };
}
