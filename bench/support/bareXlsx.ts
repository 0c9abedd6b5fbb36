/** Run as a process of its own: the spreadsheet library over one workbook and nothing else; prints seconds and MB as JSON. */
import { readFileSync } from 'node:fs';
import { read } from 'xlsx';

const path = process.argv[2];
if (!path) throw new Error('usage: bareXlsx.ts FILE.xlsx');
const start = performance.now();
const book = read(readFileSync(path), { dense: true });
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, sheets: book.SheetNames.length, peakMb: process.resourceUsage().maxRSS / 1024 }));
