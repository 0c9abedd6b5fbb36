import { parentPort } from 'node:worker_threads';
import { type FidelityAndUtilityTask, type FidelityReply, measureHere } from './fidelityAndUtility.ts';

const send = (reply: FidelityReply): void => parentPort?.postMessage(reply);

parentPort?.once('message', async (task: FidelityAndUtilityTask) => {
  send({ figures: await measureHere(task, { onProgress: async (event) => send({ event }) }) });
});
