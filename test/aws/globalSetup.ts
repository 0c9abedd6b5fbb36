/**
 * Before the suites of `npm run test:aws`: a deployment to run them against.
 *
 *   nothing set           the emulator is installed and started, and the whole stack deployed to it
 *   AWS_ENDPOINT_URL set  nothing is started: the suites of the ports run against that end point. An address under
 *                         amazonaws.com means the account of the credentials, each service at its own end point
 *   DEPLOYMENT            the file that `node test/aws/serve.ts FILE` wrote: what it started is used again
 *   BASE_URL and API_KEY  the contract suite speaks to that deployment
 */
import { readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { type DeploymentAddresses, startDeployment } from './deployment/startDeployment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Null where the suites run against something that was there before. */
    deployment: DeploymentAddresses | null;
  }
}

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.AWS_ENDPOINT_URL;
  if (given || process.env.BASE_URL) {
    if (given && /\.?amazonaws\.com(\.cn)?$/.test(new URL(given).hostname)) delete process.env.AWS_ENDPOINT_URL;
    project.provide('deployment', null);
    return undefined;
  }
  if (process.env.DEPLOYMENT) {
    project.provide('deployment', JSON.parse(readFileSync(process.env.DEPLOYMENT, 'utf8')));
    return undefined;
  }
  const began = Date.now();
  const { addresses, stop } = await startDeployment();
  console.log(`Deployed to ${addresses.endpoint} in ${Math.round((Date.now() - began) / 1000)} s`);
  project.provide('deployment', addresses);
  return stop;
}
