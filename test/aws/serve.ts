/**
 * `node test/aws/serve.ts FILE`: the deployment that the tests make, to try things by hand; ends with SIGINT or SIGTERM.
 * FILE then lets `DEPLOYMENT=FILE npm run test:aws` use it, run after run.
 */
import { writeFileSync } from 'node:fs';
import { startDeployment } from './deployment/startDeployment.ts';

const file = process.argv[2];
if (!file) throw new Error('Name a file to write the addresses to.');
const { addresses, stop } = await startDeployment();
writeFileSync(file, JSON.stringify(addresses, null, 2));
console.log(addresses);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
