import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { WILDCARDS } from '../../infra/cdk.ts';
import { at, build, OTHERWISE } from './support/synthesise.ts';

/** Acknowledgements of cdk-nag's rules, with their reasons, of all constructs. */
function acknowledged(context: Readonly<Record<string, string>>): [rule: string, reason: string][] {
  const { stack } = build(context);
  return stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(Object(data)))
      .filter(([rule]) => rule.includes('AwsSolutions-'))
      .map(([rule, reason]): [string, string] => [rule, String(at(reason, 'reason') ?? reason)]),
  );
}

const VARIANTS: [name: string, context: Record<string, string>][] = [
  ['standard', {}],
  ['otherwise', OTHERWISE],
];

describe('cdk-nag', () => {
  it.each(VARIANTS)('finds nothing in the %s deployment that is not acknowledged', (_, context) => {
    const { app } = build(context);
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);
    const found = violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
    expect(found).toEqual([]);
  });

  it('is given a reason with each acknowledgement', () => {
    const all = VARIANTS.flatMap(([, context]) => acknowledged(context));
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(([, reason]) => reason.length < 40 || !reason.endsWith('.'))).toEqual([]);
  });

  it('acknowledges only these rules', () => {
    const rules = acknowledged({}).map(([rule]) => rule.replace(/^.*AwsSolutions-|\[.*$/g, ''));
    expect([...new Set(rules)].sort()).toEqual(
      [
        'APIG2',
        'APIG3',
        'APIG4',
        'CFR1',
        'CFR2',
        'CFR3',
        'CFR4',
        'COG4',
        'EC23',
        'ECS2',
        'ECS4',
        'IAM4',
        'IAM5',
      ].sort(),
    );
  });

  it('needs no acknowledgement of old TLS where the base URL has a name of its own', () => {
    expect(acknowledged(OTHERWISE).filter(([rule]) => rule.includes('CFR4'))).toEqual([]);
  });

  it('has no reason for a star that would open more than one kind of thing', () => {
    const open = ['arn:aws:s3:::bucket/*', '<Table.Arn>*', 'arn:aws:batch:*:*:job-queue/*', '<Bucket.Arn>/*'];
    expect(open.filter((resource) => WILDCARDS.some(([pattern]) => pattern.test(resource)))).toEqual([]);
  });
});
