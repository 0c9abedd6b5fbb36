/** Plan of a private table, from its domain alone. */
import type { CellFormat, ColumnProfile } from '../../../contract/columns.ts';
import { namedColumns } from '../../../contract/columns.ts';
import type { ColumnDomain } from '../../../contract/privacy.ts';
import type { Profile } from '../../../tables/profile/profile.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PrivateRequest } from '../../request/checkPrivacy.ts';
import type { PlannedColumn } from '../../table/modelTable.ts';
import { type CodedColumn, isLevels } from './codes.ts';

export function planPrivately(profile: Profile, request: PrivateRequest, columns: readonly CodedColumn[]): Plan {
  const { draws, tune, sampler, calibrate, text_epochs: textEpochs, keep_rare: keepRare } = request;
  const textSampling = { temperature: request.text_temperature, nucleus: request.text_nucleus };
  const named = new Set(namedColumns(request).map(({ name }) => name));
  return {
    columns: columns.map(({ name, domain }) => planned(name, domain, name === request.target_col)),
    notUsed: profile.columns.filter(({ name }) => !named.has(name)).map(({ name, kind }) => ({ name, kind })),
    orders: [],
    batches: [],
    seedColumns: [],
    describesTarget: false,
    familyChoice: null,
    entity: null,
    settings: { draws, tune, sampler, calibrate, textEpochs, textSampling, keepRare, family: null },
  };
}

function planned(name: string, domain: ColumnDomain, isTarget: boolean): PlannedColumn {
  const format = formatOf(domain);
  const numeric = isTarget ? 'target' : 'continuous';
  return {
    name,
    role: isLevels(domain) ? 'categorical' : numeric,
    format,
    tokens: [],
    profile: profileOf(name, format),
    derivation: null,
    exceptions: null,
    indicator: null,
    missingRule: null,
    difference: null,
    released: null,
  };
}

function formatOf(domain: ColumnDomain): CellFormat | null {
  if (isLevels(domain)) return null;
  const { min, max, decimals } = domain;
  return { kind: 'plain', format: { integer: decimals === 0, decimals, fixed: decimals > 0, min, max } };
}

/** Contains no data. */
const profileOf = (name: string, format: CellFormat | null): ColumnProfile => ({
  name,
  kind: format ? 'continuous' : 'categorical',
  suggested_role: format ? 'continuous' : 'categorical',
  confidence: 1,
  evidence: [],
  runner_up: null,
  missing: 0,
  missing_token: '',
  missing_tokens: [],
  distinct: 0,
  distinct_exact: false,
  top_levels: [],
  format,
  numbers: null,
  lengths: null,
});
