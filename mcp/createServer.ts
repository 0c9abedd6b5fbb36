import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { SyntheticTables } from '../packages/client/client.ts';
import { isForOwner } from '../packages/words/shareable.ts';
import { withCommas } from '../packages/words/wording.ts';
import { isPrivateJob, statusFor } from './forOwner.ts';
import { ArgumentError, refusalOf, type Tool } from './tool.ts';
import { describeColumns, nameColumns } from './tools/upload.ts';

const INSTRUCTIONS =
  'Makes synthetic tables: invented rows that behave like those of a real table. Order: tables_upload, tables_generate with auto: true, tables_status until the job is done, tables_read_report, tables_read_rows. Tell the user the job_id. For a table with privacy, upload it with names_only: true and ask the user for the domain: figures of its real rows are for the owner of the file alone.';

export function createServer(service: SyntheticTables, version: string, tools: readonly Tool[]): McpServer {
  const info = { name: 'synthetic-tables', title: 'Synthetic tables', version };
  const server = new McpServer(info, { instructions: INSTRUCTIONS });
  const uncalled = () => {
    throw new Error('tools are called by the handler below');
  };
  for (const { name, title, description, input, output, annotations } of tools) {
    const config = { title, description, inputSchema: input, outputSchema: output, annotations };
    server.registerTool(name, config, uncalled);
  }
  // Replaces the SDK's handler, which reports wrong arguments as JSON.
  server.server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return tool.call(service, params.arguments, extra);
    const known = tools.map(({ name }) => name);
    return refusalOf(new ArgumentError({ reason: 'tool_unknown', tool: params.name, known }));
  });
  registerResources(server, service);
  return server;
}

/** Resources are read whole; larger tables need tables_read_rows. */
const MAX_BYTES = 2_000_000;
const LISTED_JOBS = 50;

interface Kind {
  file: string;
  title: string;
  mimeType: string;
  description: string;
  /** Only finished jobs have it. */
  ofResult: boolean;
  read(service: SyntheticTables, jobId: string, signal: AbortSignal): Promise<string>;
}

/** Resources cannot ask for the owner's permission. */
const askingFor = (jobId: string, signal: AbortSignal) => ({
  tool: 'tables_read_report',
  jobId,
  ownerFigures: false,
  signal,
});

const KINDS: readonly Kind[] = [
  {
    file: 'synthetic_data.csv',
    title: 'Synthetic table',
    mimeType: 'text/csv',
    description: 'The synthetic table of a finished job.',
    ofResult: true,
    read: readTable,
  },
  {
    file: 'metrics.json',
    title: 'Metrics of a synthetic table',
    mimeType: 'application/json',
    description: 'All its metrics, of a job with privacy those that may be shared; null if the job is not done.',
    ofResult: true,
    read: async (service, jobId, signal) =>
      toText((await statusFor(service, askingFor(jobId, signal))).metrics ?? null),
  },
  {
    file: 'report.html',
    title: 'Report on a synthetic table',
    mimeType: 'text/html',
    description: 'The quality report, as one self-contained page; of a job with privacy the one for sharing.',
    ofResult: true,
    async read(service, jobId, signal) {
      const found = await statusFor(service, askingFor(jobId, signal));
      const audience = isForOwner(found) ? 'sharing' : 'owner';
      return new Response((await service.report(jobId, { signal, for: audience })).body).text();
    },
  },
  {
    file: 'columns.json',
    title: 'Columns of an upload',
    mimeType: 'application/json',
    description: 'What tables_inspect answers in full without examples: what each column is, and its suggested role.',
    ofResult: false,
    async read(service, jobId, signal) {
      const found = await service.columns(jobId, { signal });
      const isPrivate = await isPrivateJob(service, { jobId, signal });
      return toText(
        (isPrivate ? nameColumns(found, { detail: 'full' }) : describeColumns(found, { detail: 'full' })).data,
      );
    },
  },
];

function registerResources(server: McpServer, service: SyntheticTables): void {
  for (const { file, title, mimeType, description, ofResult, read } of KINDS) {
    const list = async () => ({ resources: await listed(service, file, mimeType, ofResult) });
    const template = new ResourceTemplate(`synthetic-tables://jobs/{job_id}/${file}`, { list });
    server.registerResource(
      file,
      template,
      { title, description, mimeType },
      async (uri, { job_id }, { signal }): Promise<ReadResourceResult> => {
        const text = await read(service, String(job_id), signal);
        return { contents: [{ uri: uri.href, mimeType, text }] };
      },
    );
  }
}

async function listed(service: SyntheticTables, file: string, mimeType: string, ofResult: boolean) {
  const { jobs } = await service.jobs({ limit: LISTED_JOBS });
  return jobs
    .filter(({ status }) => !ofResult || status === 'done')
    .map(({ job_id, file_name }) => ({
      uri: `synthetic-tables://jobs/${job_id}/${file}`,
      name: `${file} of ${file_name} (job ${job_id})`,
      mimeType,
    }));
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2);

async function readTable(service: SyntheticTables, jobId: string, signal: AbortSignal): Promise<string> {
  const { body, bytes } = await service.download(jobId, { signal });
  if (bytes === null || bytes <= MAX_BYTES) return new Response(body).text();
  await body.cancel();
  throw new Error(
    `The table has ${withCommas(bytes)} bytes; a resource may have at most ${withCommas(MAX_BYTES)}. Call tables_read_rows instead.`,
  );
}
