/** What tests need of a deployed stack, found by what the template says of it. */
import type { Deployed } from './deploy.ts';

/** The functions by their name, which their description begins with. */
export function functionNames({ template, references }: Deployed): Record<string, string> {
  const named = Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) => {
    const label = /^(\w+): /.exec(String(Properties.Description ?? ''))?.[1];
    const name = references.get(id);
    return Type === 'AWS::Lambda::Function' && label && name ? [[label, name] as const] : [];
  });
  return Object.fromEntries(named);
}

/** Where the emulator serves the REST API; the address in the stack's output is not one that answers. */
export function restApi({ template, references }: Deployed, endpoint: string, stage: string): string {
  const id = Object.entries(template.Resources).find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi')?.[0];
  return `${endpoint}/_aws/execute-api/${references.get(id ?? '')}/${stage}`;
}
