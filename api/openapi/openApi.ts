export type JsonSchema = Record<string, unknown>;

export interface Content {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, never[]>[];
  parameters: {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    description: string;
    schema: JsonSchema;
  }[];
  requestBody?: { required: true; content: Record<string, Content> };
  responses: Record<string, Answer>;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  components: { securitySchemes: Record<string, unknown> };
  paths: Record<string, Record<string, Operation>>;
}
