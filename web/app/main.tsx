/** Entry of the page at GET /. */
import { render } from 'preact';
import type { PageData } from '../logic/contract.ts';
import { App } from './App.tsx';

const isPageData = (value: unknown): value is PageData =>
  typeof value === 'object' && value !== null && 'bounds' in value && 'paths' in value;

const data: unknown = JSON.parse(document.getElementById('data')?.textContent ?? 'null');
const root = document.getElementById('app');
if (root && isPageData(data)) {
  root.textContent = '';
  render(<App data={data} />, root);
}
