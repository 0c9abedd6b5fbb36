/** Each call of the interface in curl, TypeScript and Python, from its description. */
import type { Operation } from '../openapi/openApi.ts';

export interface Sample {
  language: 'curl' | 'TypeScript' | 'Python';
  code: string;
}

interface Call {
  method: string;
  /** With names of shell or template variables in the place of parameters. */
  path: string;
  needsKey: boolean;
  json: string | undefined;
  /** Name of the file part. */
  filePart: string | undefined;
  /** The answer is a file, or a page, and no JSON. */
  isText: boolean;
}

export function samplesOf(method: string, path: string, operation: Operation): Sample[] {
  const content = operation.requestBody?.content ?? {};
  const call: Call = {
    method: method.toUpperCase(),
    path,
    needsKey: operation.security.length > 0,
    json: content['application/json'] && JSON.stringify(content['application/json'].example, null, 2),
    filePart: 'multipart/form-data' in content ? 'file' : undefined,
    isText: !Object.keys(operation.responses['200']?.content ?? {}).some((type) => /[/+]json\b/.test(type)),
  };
  return [
    { language: 'curl', code: curlOf(call) },
    { language: 'TypeScript', code: typeScriptOf(call) },
    { language: 'Python', code: pythonOf(call) },
  ];
}

/** '/status/{job_id}' with each parameter written as `as` makes it. */
const withParameters = (path: string, as: (name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => as(name));

function curlOf({ method, path, needsKey, json, filePart }: Call): string {
  const address = `"$BASE${withParameters(path, (name) => `$${name.toUpperCase()}`)}"`;
  const parts = [
    ...(method === 'GET' || ((json !== undefined || filePart) && method === 'POST') ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "X-API-Key: $KEY"'] : []),
    ...(json === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${json.replaceAll("'", "'\\''")}'`]),
    ...(filePart ? [`-F ${filePart}=@table.csv`] : []),
  ];
  return ['curl', ...parts, address].join(' \\\n  ');
}

const CHECK = `if (!success) throw new Error(error.code + ': ' + error.message);`;

function typeScriptOf({ method, path, needsKey, json, filePart, isText }: Call): string {
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const address = `\`\${base}${withParameters(path, (name) => `\${${camel(name)}}`)}\``;
  const headers = [
    ...(needsKey ? ["'X-API-Key': key"] : []),
    ...(json === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${indented(json, '  ')}),`]),
    ...(filePart ? ['  body: form,'] : []),
  ];
  return [
    ...(filePart
      ? ['const form = new FormData();', `form.append('${filePart}', file); // a File or Blob with a name`]
      : []),
    options.length > 0
      ? `const answer = await fetch(${address}, {\n${options.join('\n')}\n});`
      : `const answer = await fetch(${address});`,
    ...(isText ? ['const text = await answer.text();'] : ['const { success, data, error } = await answer.json();']),
    ...(isText || path === '/docs' ? [] : [CHECK]),
  ].join('\n');
}

function pythonOf({ method, path, needsKey, json, filePart, isText }: Call): string {
  const parameterised = withParameters(path, (name) => `{${name}}`);
  const options = [
    ...(needsKey ? ['    headers={"X-API-Key": key},'] : []),
    ...(json === undefined ? [] : [`    json=${indented(pythonLiteral(json), '    ')},`]),
    ...(filePart ? [`    files={"${filePart}": open("table.csv", "rb")},`] : []),
  ];
  const address = `f"{base}${parameterised}"`;
  return [
    'import requests',
    '',
    ['answer = requests.request(', `    "${method}", ${address},`, ...options, ')'].join('\n'),
    'answer.raise_for_status()',
    isText ? 'text = answer.text' : `data = answer.json()${path === '/docs' ? '' : '["data"]'}`,
  ].join('\n');
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const pythonLiteral = (json: string): string =>
  json.replace(
    /: (true|false|null)\b/g,
    (_, word: string) => `: ${{ true: 'True', false: 'False', null: 'None' }[word]}`,
  );
