import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
}

export const managedPolicy = (name: string): string =>
  `IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${name}]`;

/** Reasons for each form of wildcard; any other form is a finding. */
export const WILDCARDS: readonly [pattern: RegExp, reason: string][] = [
  [/^\*$/, "Batch's List and Describe calls and ECR's GetAuthorizationToken know no resource."],
  [/>\/jobs\/\*/, 'Objects of jobs, whose ids are made later; the end of the key says which of them.'],
  [/>\/privacy\/\*$/, 'Samples of the rows of private tables, by owners and tables that come later.'],
  [/:job\/\*$/, 'Batch names a job by an id that it makes itself.'],
  [/:job-definition\/[\w-]+:\*$/, 'Any revision: a deployment must not refuse a submission that is on its way.'],
];

export function acknowledgeStars(construct: IConstruct, document: PolicyDocument): void {
  for (const resource of resourcesOf(construct, document)) {
    const reason = WILDCARDS.find(([pattern]) => pattern.test(resource))?.[1];
    if (reason) acknowledge(construct, { [`IAM5[Resource::${resource}]`]: reason });
  }
}

/** As cdk-nag writes them. */
function resourcesOf(construct: IConstruct, document: PolicyDocument): string[] {
  const { Statement = [] } = Stack.of(construct).resolve(document.toJSON()) ?? {};
  const resources: unknown[] = Statement.flatMap((statement: { Resource: unknown }) => statement.Resource);
  return resources.map(flatten).filter((resource) => resource.includes('*'));
}

function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('Ref' in value) return `<${flatten(value.Ref)}>`;
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) return `<${value['Fn::GetAtt'].join('.')}>`;
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [separator, parts] = value['Fn::Join'];
    return Array.isArray(parts) ? parts.map(flatten).join(flatten(separator)) : '';
  }
  return JSON.stringify(value);
}

/** CDK's classes declare "string | undefined", which `exactOptionalPropertyTypes` does not accept for "?: string". */
export const byInterface = <Interface>(object: { [Name in keyof Interface]: Interface[Name] | undefined }): Interface =>
  object as Interface;
