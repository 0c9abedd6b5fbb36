/** What a thread that uploads is told. */
import { z } from 'zod';

export const uploadWorkSchema = z.object({ url: z.string(), key: z.string(), path: z.string() });
export type UploadWork = z.infer<typeof uploadWorkSchema>;
