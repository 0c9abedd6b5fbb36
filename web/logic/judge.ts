import { roleFields } from '../../packages/client/index.ts';
import type { StatusReply, UploadReply } from '../../packages/contract/replies.ts';
import type { CompareRequestBody } from '../../packages/contract/requests.ts';
import { counted, listed } from '../../packages/words/wording.ts';
import { namesWith, type Roles, targetOf, whyNotYet } from './roles.ts';
import type { JudgedUploads } from './route.ts';

export const JUDGE = 'Check the quality of synthetic data';

type Columns = Pick<UploadReply, 'columns'>;

/** Undefined until uploaded. */
export interface JudgedTables {
  real: Columns | undefined;
  synthetic: Columns | undefined;
  held: Columns | undefined;
}

const NAMED = 3;

const named = (names: readonly string[]): string =>
  listed(
    names.map((name) => `"${name}"`),
    NAMED,
  );

/** Undefined if ready. */
export function whyNotJudged({ real, synthetic, held }: JudgedTables, roles: Roles): string | undefined {
  if (!real) return 'Choose the real table.';
  if (!synthetic) return 'Choose the synthetic table.';
  return whyNotYet(roles) ?? lacking('synthetic table', synthetic, roles) ?? lacking('held-out table', held, roles);
}

function lacking(what: string, table: Columns | undefined, roles: Roles): string | undefined {
  if (!table) return undefined;
  const there = new Set(table.columns);
  const gone = [...roles].filter(([name, role]) => role !== 'ignore' && !there.has(name)).map(([name]) => name);
  if (gone.length === 0) return undefined;
  return `The ${what} has no ${gone.length === 1 ? 'column' : 'columns'} ${named(gone)}. Set the role to Ignore, or choose another file.`;
}

export function comparedWords({ real, synthetic }: JudgedTables, roles: Roles): string {
  const target = targetOf(roles);
  const compared = [...roles.values()].filter((role) => role !== 'ignore').length;
  const ignored = namesWith(roles, 'ignore').length;
  const known = new Set(real?.columns);
  const others = (synthetic?.columns ?? []).filter((name) => !known.has(name));
  return [
    `${counted(compared, 'column')} will be compared${ignored === 0 ? '' : `, ${counted(ignored, 'column')} ignored`}.`,
    target === undefined
      ? 'No column to predict: utility is measured by predicting the other columns.'
      : `Target: "${target}", which measures utility.`,
    ...(others.length === 0 ? [] : [`Left out, because only the synthetic table has them: ${named(others)}.`]),
  ].join(' ');
}

/** Undefined while a table is missing. */
export function judgeRequest({ real, synthetic, held }: JudgedUploads, roles: Roles): CompareRequestBody | undefined {
  if (real === null || synthetic === null) return undefined;
  return {
    job_id: synthetic,
    real_job_id: real,
    ...(held !== null && { holdout_job_id: held }),
    ...roleFields(roles),
  };
}

/** Whether an earlier comparison used this real table. */
export const isOfReal = (earlier: StatusReply | undefined, real: string | null): boolean =>
  real !== null && earlier?.compared_with === real;
