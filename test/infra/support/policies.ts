/** The synthesised policies, a line for each action: what it may be done to, and under which condition. */
import { at, flat, ofType, type Template } from './synthesise.ts';

/** Lines by the role's logical id, less its hash. */
export function allowed(template: Template): Map<string, string[]> {
  const byRole = new Map<string, string[]>();
  for (const [id] of ofType(template, 'AWS::IAM::Role')) byRole.set(id, []);
  for (const [, policy] of ofType(template, 'AWS::IAM::Policy')) {
    const lines = statementsOf(policy.Properties.PolicyDocument).flatMap((statement) => linesOf(statement, template));
    for (const role of list(policy.Properties.Roles)) byRole.get(String(at(role, 'Ref')))?.push(...lines);
  }
  return new Map([...byRole].map(([id, lines]) => [id.replace(/[0-9A-F]{8}$/, ''), [...new Set(lines)].sort()]));
}

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

export const statementsOf = (document: unknown): unknown[] => list(at(document, 'Statement'));

function linesOf(statement: unknown, template: Template): string[] {
  if (at(statement, 'Effect') !== 'Allow') throw new Error('A policy denies; this reader knows only what is allowed.');
  const condition = conditionOf(at(statement, 'Condition'));
  return list(at(statement, 'Action')).flatMap((action) =>
    list(at(statement, 'Resource')).map((resource) =>
      `${action} ${nameOf(flat(resource), template)}${condition}`.replace(ONLY_ITEMS, ' $1'),
    ),
  );
}

/** `table where … LeadingKeys JOB#*` is said as `JOB#*`: without the condition the line keeps its `table`. */
const ONLY_ITEMS = /(?: table)? where ForAllValues:String(?:Like|Equals) dynamodb:LeadingKeys (.+)$/;

function conditionOf(condition: unknown): string {
  if (condition === undefined) return '';
  const tests = Object.entries(Object(condition)).flatMap(([test, keys]) =>
    Object.entries(Object(keys)).map(([key, values]) => `${test} ${key} ${list(values).join(' ')}`),
  );
  return ` where ${tests.join(' and ')}`;
}

/** A resource as a reader would call it. */
function nameOf(resource: string, template: Template): string {
  const typed = resource.replace(/<(\w+?)(\.Arn)?>/g, (whole, id: string) => {
    const type = template.Resources[id]?.Type;
    return type === undefined ? whole : (SHORT[type] ?? `<${type}>`);
  });
  return typed.replace('arn:<AWS::Partition>:batch:<AWS::Region>:<AWS::AccountId>:', 'batch ');
}

const SHORT: Record<string, string> = {
  'AWS::DynamoDB::Table': 'table',
  'AWS::S3::Bucket': 'bucket',
  'AWS::Logs::LogGroup': 'own log',
};
