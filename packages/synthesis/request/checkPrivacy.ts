import { namedColumns } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import { type ColumnDomain, MIN_PRIVATE_ROWS, type PrivacyRequest } from '../../contract/privacy.ts';
import { asksNothing } from '../../contract/releasePolicy.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';

export type PrivateRequest = TableRequest & { privacy: PrivacyRequest };

export const isPrivate = (request: TableRequest): request is PrivateRequest => (request.privacy ?? null) !== null;

export function refuseLoneDomain({ privacy, domain }: TableRequest): void {
  if (domain && !privacy) throw new ServiceError({ reason: 'domain_without_privacy' }, { field: 'domain' });
}

/** Assigns roles by domain if no columns are named. */
export function withDomainRoles<R extends TableRequest>(request: R): R {
  if (!isPrivate(request) || !request.domain || namedColumns(request).length > 0) return request;
  const names = Object.keys(request.domain);
  const isNumber = (name: string): boolean => kindOf(request.domain?.[name]) === 'numbers';
  return {
    ...request,
    continuous_cols: names.filter(isNumber),
    categorical_cols: names.filter((name) => !isNumber(name)),
  };
}

const kindOf = (domain: ColumnDomain | undefined): 'levels' | 'numbers' | undefined =>
  domain && ('levels' in domain ? 'levels' : 'numbers');

/**
 * Throws `invalid_parameter` for options that cannot be private, unsuitable domains, too few rows to hide one, or a δ
 * that permits releasing a row. Never reads cells.
 */
export function checkPrivacy(request: PrivateRequest, { rows }: Profile): void {
  refuseOthers(request);
  checkDomain(request);
  if (rows < MIN_PRIVATE_ROWS)
    throw new ServiceError({ reason: 'privacy_too_few_rows', rows, min: MIN_PRIVATE_ROWS }, { field: 'privacy' });
  const { delta } = request.privacy;
  if (delta > 1 / rows)
    throw new ServiceError({ reason: 'delta_too_large', delta, max: 1 / rows, rows }, { field: 'privacy.delta' });
}

function refuseOthers({ text_cols, conditions, policy, target, entity_col }: PrivateRequest): void {
  const [column] = text_cols;
  if (column !== undefined) throw new ServiceError({ reason: 'privacy_excludes_text', column }, { field: 'text_cols' });
  if (target === 'auto') throw new ServiceError({ reason: 'privacy_chooses_target' }, { field: 'target' });
  // The guarantee covers one row, but an entity has many.
  if (entity_col !== null) throw excludes('entity_col');
  if (conditions.length > 0) throw excludes('conditions');
  if (policy && !asksNothing(policy)) throw excludes('policy');
}

const excludes = (name: string): ServiceError =>
  new ServiceError({ reason: 'privacy_excludes_field', name }, { field: name });

function checkDomain(request: PrivateRequest): void {
  const { domain, target_col } = request;
  if (!domain) throw new ServiceError({ reason: 'privacy_without_domain' }, { field: 'domain' });
  const named = namedColumns(request);
  for (const { name, role } of named) {
    const found = Object.hasOwn(domain, name) ? kindOf(domain[name]) : undefined;
    if (!found) throw new ServiceError({ reason: 'domain_lacks_column', column: name }, { field: 'domain' });
    const needs = role === 'categorical' ? 'levels' : 'numbers';
    // A private target is a normal column.
    if (name !== target_col && found !== needs)
      throw new ServiceError({ reason: 'domain_of_other_kind', column: name, needs }, { field: `domain.${name}` });
  }
  const other = Object.keys(domain).find((name) => named.every((column) => column.name !== name));
  if (other !== undefined)
    throw new ServiceError({ reason: 'domain_of_other_column', column: other }, { field: `domain.${other}` });
}
