import { z } from 'zod';
import { detectFamilyRequestSchema } from '../../domain/schema/detectFamilyRequest.ts';
import { defineTool } from '../tool.ts';

export const detectFamily = defineTool({
  name: 'detect_family',
  title: 'Which distribution family fits a target?',
  description: 'The family that generate would choose for this target column with family "auto", and why.',
  input: detectFamilyRequestSchema.shape,
  output: { family: z.string(), reason: z.string() },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id, target_col }, { signal }) {
    const { family, reason } = await service.detectFamily(job_id, target_col, { signal });
    return { text: `${family}. ${reason}`, data: { family, reason } };
  },
});
