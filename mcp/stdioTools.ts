/** What the server beside an assistant has more than the one behind POST /mcp: the files of its machine. */
import type { Tool } from './tool.ts';
import { saveTable, uploadFile } from './tools/files.ts';
import { TOOLS } from './tools.ts';

export const STDIO_TOOLS: readonly Tool[] = [uploadFile, ...TOOLS, saveTable];

export const STDIO_ENVIRONMENT = { url: 'SYNTHETIC_TABLES_URL', key: 'SYNTHETIC_TABLES_KEY' } as const;
