/** Measures one made-up table in a process of its own and prints seconds and memory: arguments rows, numbers, categories. */

import { createStream } from '../../packages/numerics/random/createStream.ts';
import { measureAll } from '../../packages/synthesis/judge/measureAll.ts';
import { latentRoles, latentTable } from './latentTable.ts';

const [rows = 50_000, numbers = 9, categories = 6] = process.argv.slice(2).map(Number);
const random = createStream(1, 'bench/metricsSpeed');
const held = Math.round(rows / 10);
const shape = { rows, numbers, categories };
const of = (count: number, name: string) => latentTable({ ...shape, rows: count }, random.child(name));
const tables = { train: of(rows - held, 'train'), holdout: of(held, 'holdout'), synthetic: of(rows, 'synthetic') };

const before = process.cpuUsage();
const start = performance.now();
const measures = await measureAll({
  ...tables,
  roles: latentRoles(shape),
  family: null,
  crossFit: null,
  random: random.child('measure'),
  onProgress: async () => {},
});
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    seconds: (performance.now() - start) / 1000,
    cpu: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    recordKilobytes: JSON.stringify(measures).length / 1024,
  }),
);
