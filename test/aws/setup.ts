/** In each worker, before a suite: where the deployment is, and which of the portable tests the emulator cannot pass. */
import { beforeEach, inject } from 'vitest';
import { CREDENTIALS } from './deployment/credentials.ts';
import { EXCEPTIONS } from './exceptions.ts';

const deployment = inject('deployment');

if (deployment) {
  Object.assign(process.env, CREDENTIALS, {
    AWS_ENDPOINT_URL: deployment.endpoint,
    BASE_URL: deployment.baseUrl,
    API_KEY: deployment.apiKey,
  });
  beforeEach(({ task, skip }) => {
    const exception = EXCEPTIONS.find(({ file, title }) => task.file.name.endsWith(file) && task.name === title);
    if (exception) skip(exception.because);
  });
}
