/** The form of POST /upload, for its description; the body itself is read as a stream. */
import { z } from 'zod';

export const uploadBodySchema = z.object({
  file: z.file().meta({ description: 'The table: .csv, .xlsx or .xls, at most 52,428,800 bytes.' }),
});
