/** Run as a process of its own: papaparse over one file and nothing else; prints seconds and rows as JSON. */
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';

const path = process.argv[2];
if (!path) throw new Error('usage: barePapaparse.ts FILE.csv');
const start = performance.now();
const { data } = Papa.parse(readFileSync(path, 'utf8'), { skipEmptyLines: true });
console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, rows: data.length - 1 }));
