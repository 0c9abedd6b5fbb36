import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { columnsOutput, describeColumns } from '../describeColumns.ts';
import { defineTool } from '../tool.ts';

export const inspectColumns = defineTool({
  name: 'inspect_columns',
  title: 'Inspect the columns of an upload',
  description:
    'What upload_table answered, again: kind, evidence, missing and distinct cells of each column, the suggested roles, and what columns say of each other.',
  input: { job_id: jobIdSchema },
  output: columnsOutput,
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async (service, { job_id }, { signal }) => describeColumns(await service.columns(job_id, { signal })),
});
