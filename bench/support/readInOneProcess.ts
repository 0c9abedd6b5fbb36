/**
 * Run as a process of its own over one CSV file: papaparse alone and then the profile of an upload, each some times, in one process;
 * or, with `--alone`, the profile only. Prints, as JSON, seconds by the clock and of the processor, all threads together,
 * and the most memory that was resident.
 */
import { createReadStream, readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';

const TURNS = 5;

interface Seconds {
  clock: number;
  cpu: number;
}

async function time(work: () => unknown): Promise<Seconds> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

const [path, mode] = process.argv.slice(2);
if (!path) throw new Error('usage: readInOneProcess.ts FILE.csv [--alone]');
const bare: Seconds[] = [];
const ours: Seconds[] = [];
let rows = 0;
// In blocks, not by turns: what papaparse leaves, a whole table each time, is collected once, and not during each of ours.
if (mode !== '--alone') {
  const parse = () => Papa.parse(readFileSync(path, 'utf8'), { skipEmptyLines: true });
  for (let turn = 0; turn < TURNS; turn++) bare.push(await time(parse));
}
for (let turn = 0; turn < (mode === '--alone' ? 1 : TURNS); turn++) {
  ours.push(
    await time(async () => {
      ({ rows } = await profileUpload(createReadStream(path), path));
    }),
  );
}
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ rows, bare, ours, peakMb }));
