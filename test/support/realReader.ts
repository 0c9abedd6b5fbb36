/** Reads uploads in this process, as the worker of a server does. */
import { encodeProfile } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import type { UploadReader } from '../../service/ports.ts';

export const realReader: UploadReader = {
  profile: async (bytes, fileName, _, encoding) => encodeProfile(await profileUpload(bytes, fileName, encoding)),
};
