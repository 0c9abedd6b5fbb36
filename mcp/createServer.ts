/** The MCP server: tools and resources over a client of the service, whatever transport it is connected to. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { SyntheticTables } from '../client/client.ts';
import { registerResources } from './resources.ts';
import type { Tool } from './tool.ts';

const INSTRUCTIONS =
  'Makes synthetic tables: invented rows that behave like the real ones of an uploaded table. The usual way: upload_table, look at the columns and their suggested roles, generate (auto: true takes the suggestions; the target is a numeric column that the others explain), follow until the job is done, then fetch_rows and fetch_report. Say the job_id to the user: it finds the result again.';

export function createServer(service: SyntheticTables, version: string, tools: readonly Tool[]): McpServer {
  const info = { name: 'synthetic-tables', title: 'Synthetic tables', version };
  const server = new McpServer(info, { instructions: INSTRUCTIONS });
  for (const tool of tools) tool.register(server, service);
  registerResources(server, service);
  return server;
}
