/**
 * Run as a process of its own over one CSV file: papaparse alone and the profile of an upload, by turns, in one process;
 * or, with `--alone`, the profile only. Prints seconds and the most memory that was resident, as JSON.
 */
import { createReadStream, readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { profileUpload } from '../../domain/profile/profileUpload.ts';

const TURNS = 3;

function parseBare(path: string): number {
  const start = performance.now();
  Papa.parse(readFileSync(path, 'utf8'), { skipEmptyLines: true });
  return (performance.now() - start) / 1000;
}

async function profile(path: string): Promise<{ seconds: number; rows: number }> {
  const start = performance.now();
  const { rows } = await profileUpload(createReadStream(path), path);
  return { seconds: (performance.now() - start) / 1000, rows };
}

const [path, mode] = process.argv.slice(2);
if (!path) throw new Error('usage: readInOneProcess.ts FILE.csv [--alone]');
const bare: number[] = [];
const ours: number[] = [];
let rows = 0;
for (let turn = 0; turn < (mode === '--alone' ? 1 : TURNS); turn++) {
  if (mode !== '--alone') bare.push(parseBare(path));
  const read = await profile(path);
  ours.push(read.seconds);
  rows = read.rows;
}
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ rows, bare, ours, peakMb }));
