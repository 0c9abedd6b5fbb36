/** `node test/aws/localstack/serve.ts [PORT]`: the emulator in the foreground, to try things by hand. */
import { startEmulator } from './startEmulator.ts';

const port = Number(process.argv[2] ?? 4566);
const emulator = await startEmulator({ port });
console.log(`Listening on ${emulator.url}\nLog: ${emulator.logFile}`);
console.log(
  `export AWS_ENDPOINT_URL=${emulator.url} AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test`,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void emulator.stop().then(() => process.exit(0)));
