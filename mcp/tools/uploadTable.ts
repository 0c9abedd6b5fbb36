import { z } from 'zod';
import { columnsOutput, describeColumns } from '../describeColumns.ts';
import { defineTool } from '../tool.ts';

export const uploadTable = defineTool({
  name: 'upload_table',
  title: 'Upload a table',
  description:
    'Uploads a real table and makes a job of it. Give the content of a CSV file as text, or any CSV or Excel file (.csv, .xlsx, .xls) as base64. Answers with the job_id, what each column is, and the role that is suggested for it. Next: generate.',
  input: {
    file_name: z
      .string()
      .default('table.csv')
      .describe('Its ending says what it is: .csv, .xlsx or .xls. table.csv where left out.'),
    text: z.string().optional().describe('The file as text: a header line, then a row a line.'),
    base64: z.base64().optional().describe('The bytes of the file in base64; for Excel files. In place of text.'),
  },
  output: columnsOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { file_name, text, base64 }, { signal }) {
    const bytes = base64 === undefined ? (text ?? '') : new Uint8Array(Buffer.from(base64, 'base64'));
    return describeColumns(await service.upload(bytes, file_name, { signal }));
  },
});
