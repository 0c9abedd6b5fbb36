/** What a tool is: its description, its schemas, and what it does with a client of the service. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { SyntheticTables } from '../packages/client/client.ts';
import { JobFailedError, SyntheticTablesError } from '../packages/client/errors.ts';
import { problemText } from '../packages/words/problems.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Answer<Output> {
  /** For the assistant to read. */
  text: string;
  /** The same for programs. */
  data: Output;
}

export interface ToolDefinition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run(
    service: SyntheticTables,
    input: z.output<z.ZodObject<Input>>,
    extra: Extra,
  ): Promise<Answer<z.input<z.ZodObject<Output>>>>;
}

export interface Tool {
  name: string;
  description: string;
  register(server: McpServer, service: SyntheticTables): void;
}

/** A refusal of the service is the tool's answer, marked as an error, so that the assistant reads what to do. */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations } = definition;
  const config: { title: string; description: string; inputSchema: z.ZodRawShape; outputSchema: z.ZodRawShape } = {
    title,
    description,
    inputSchema: input,
    outputSchema: output,
  };
  return {
    name,
    description,
    register(server, service) {
      const run = async (given: unknown, extra: Extra): Promise<CallToolResult> => {
        try {
          // The SDK has checked what is given against the schema that it was registered with.
          const { text, data } = await definition.run(service, given as z.output<z.ZodObject<Input>>, extra);
          return { content: [{ type: 'text', text }], structuredContent: { ...data } };
        } catch (error) {
          return refusalOf(error);
        }
      };
      server.registerTool(name, { ...config, annotations }, run);
    },
  };
}

const contextOf = (error: SyntheticTablesError) =>
  error instanceof JobFailedError ? { jobId: error.jobId, sampleOf: error.sampleOf } : {};

/** Throws again what is no refusal. */
function refusalOf(error: unknown): CallToolResult {
  if (!(error instanceof SyntheticTablesError)) throw error;
  return {
    isError: true,
    content: [{ type: 'text', text: `${error.code}: ${problemText(error, 'mcp', contextOf(error))}` }],
  };
}
