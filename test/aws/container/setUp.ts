/** Before the suite of `npm run test:container`: the images, and the emulator, unless AWS_ENDPOINT_URL names an end point. */
import { startEmulator } from '../localstack/startEmulator.ts';
import { buildImages } from './buildImage.ts';

export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  const began = Date.now();
  await buildImages();
  console.log(`Built the images in ${Math.round((Date.now() - began) / 1000)} s`);
  if (process.env.AWS_ENDPOINT_URL) return undefined;
  const emulator = await startEmulator();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: emulator.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  return () => emulator.stop();
}
