import type { Operation } from '../openapi/openApi.ts';

export interface Sample {
  language: 'curl' | 'TypeScript' | 'Python';
  code: string;
}

interface Call {
  method: string;
  path: string;
  needsKey: boolean;
  json: string | undefined;
  filePart: string | undefined;
  isText: boolean;
  /** The default answer would be an event stream. */
  asksForJson: boolean;
}

export function samplesOf(method: string, path: string, operation: Operation): Sample[] {
  const content = operation.requestBody?.content ?? {};
  const types = Object.keys(operation.responses['200']?.content ?? {});
  const call: Call = {
    method: method.toUpperCase(),
    path,
    needsKey: operation.security.length > 0,
    json: content['application/json'] && JSON.stringify(content['application/json'].example, null, 2),
    filePart: 'multipart/form-data' in content ? 'file' : undefined,
    isText: !types.some((type) => /[/+]json\b/.test(type)),
    asksForJson: types.length > 1 && types.includes('application/json'),
  };
  return [
    { language: 'curl', code: curlOf(call) },
    { language: 'TypeScript', code: typeScriptOf(call) },
    { language: 'Python', code: pythonOf(call) },
  ];
}

const FILE = 'examples/penguins.csv';

/** Replaces example ids by variables, written by `as`. */
const withIds = (code: string, as: (name: string) => string): string =>
  code.replace(/"((?:\w+_)?job_id)": "[^"]*"/g, (_, name: string) => `"${name}": ${as(name)}`);

const withParameters = (path: string, as: (name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => as(name));

function curlOf({ method, path, needsKey, json, filePart, asksForJson }: Call): string {
  const address = `"$BASE${withParameters(path, (name) => `$${name.toUpperCase()}`)}"`;
  const parts = [
    ...(method === 'GET' || ((json !== undefined || filePart) && method === 'POST') ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "X-API-Key: $KEY"'] : []),
    ...(asksForJson ? ['-H "Accept: application/json"'] : []),
    ...(json === undefined
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d '${withIds(json.replaceAll("'", "'\\''"), (name) => `"'$${name.toUpperCase()}'"`)}'`,
        ]),
    ...(filePart ? [`-F ${filePart}=@${FILE}`] : []),
  ];
  return ['curl --fail-with-body', ...parts, address].join(' \\\n  ');
}

/** JSON without the envelope. */
const isBare = (path: string): boolean => path === '/docs' || path === '/mcp';

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const CHECK = `if (!success) throw new Error(error.code + ': ' + error.message);`;

function typeScriptOf({ method, path, needsKey, json, filePart, isText, asksForJson }: Call): string {
  const address = `\`\${base}${withParameters(path, (name) => `\${${camel(name)}}`)}\``;
  const headers = [
    ...(needsKey ? ["'X-API-Key': key"] : []),
    ...(asksForJson ? ["Accept: 'application/json'"] : []),
    ...(json === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${indented(withIds(json, camel), '  ')}),`]),
    ...(filePart ? ['  body: form,'] : []),
  ];
  return [
    ...(filePart
      ? [
          "import { openAsBlob } from 'node:fs';",
          '',
          `const file = await openAsBlob('${FILE}'); // in a page: the file that was chosen`,
          'const form = new FormData();',
          `form.append('${filePart}', file, '${FILE.split('/').at(-1)}');`,
        ]
      : []),
    options.length > 0
      ? `const answer = await fetch(${address}, {\n${options.join('\n')}\n});`
      : `const answer = await fetch(${address});`,
    ...(isText
      ? ['const text = await answer.text();']
      : [isBare(path) ? 'const data = await answer.json();' : 'const { success, data, error } = await answer.json();']),
    ...(isText || isBare(path) ? [] : [CHECK]),
  ].join('\n');
}

function pythonOf({ method, path, needsKey, json, filePart, isText, asksForJson }: Call): string {
  const parameterised = withParameters(path, (name) => `{${name}}`);
  const options = [
    ...(needsKey ? [`    headers={"X-API-Key": key${asksForJson ? ', "Accept": "application/json"' : ''}},`] : []),
    ...(json === undefined
      ? []
      : [
          `    json=${indented(
            withIds(pythonLiteral(json), (name) => name),
            '    ',
          )},`,
        ]),
    ...(filePart ? [`    files={"${filePart}": open("${FILE}", "rb")},`] : []),
  ];
  const address = `f"{base}${parameterised}"`;
  return [
    'import requests',
    '',
    ['answer = requests.request(', `    "${method}", ${address},`, ...options, ')'].join('\n'),
    'answer.raise_for_status()',
    isText ? 'text = answer.text' : `data = answer.json()${isBare(path) ? '' : '["data"]'}`,
  ].join('\n');
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const pythonLiteral = (json: string): string =>
  json.replace(
    /: (true|false|null)\b/g,
    (_, word: string) => `: ${{ true: 'True', false: 'False', null: 'None' }[word]}`,
  );
