/** One vine in a process of its own: argv: csv of ranks, rows to simulate. Prints figures as a JSON line. */
import { readFileSync } from 'node:fs';
import { fitVine } from '../../packages/numerics/copula/vine/fitVine.ts';
import { simulateVine, vineLogDensity } from '../../packages/numerics/copula/vine/simulateVine.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';

const [path, drawn] = process.argv.slice(2);
const lines = readFileSync(path!, 'utf8').trim().split('\n');
const rows = lines.map((line) => line.split(',').map(Number));
const u = rows[0]!.map((_, k) => Float64Array.from(rows, (row) => row[k]!));
const seconds = (from: number) => (performance.now() - from) / 1000;
const cpuSince = (begun: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
};
const [start, begun] = [performance.now(), process.cpuUsage()];
const vine = await fitVine({ u });
const fitted = seconds(start);
const cpu = cpuSince(begun);
const logLikelihood = vineLogDensity(vine, { u }).reduce((sum, log) => sum + log, 0);
const [drawing, drawBegun] = [performance.now(), process.cpuUsage()];
simulateVine(vine, Number(drawn), createStream(1, 'fitVineOnce'));
const draws = { drawSeconds: seconds(drawing), drawCpu: cpuSince(drawBegun) };
console.log(JSON.stringify({ seconds: fitted, cpu, logLikelihood, ...draws }));
