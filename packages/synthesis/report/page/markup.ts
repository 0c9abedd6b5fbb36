/** HTML, and Vega-Lite charts as SVG without a browser. */
import type { Loader } from 'vega';
import type { TopLevelSpec } from 'vega-lite';
import type { Axis } from '../../../contract/report.ts';

const INK = '#1b1b1b';
export const REAL = '#a9b4c2';
export const REAL_EDGE = '#5c6a7a';
export const MADE = '#8a1c4a';

const CONFIG: NonNullable<TopLevelSpec['config']> = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: INK,
    titleColor: INK,
    domainColor: '#888',
    tickColor: '#888',
    gridColor: '#e4e4e4',
    labelFontSize: 10,
    titleFontSize: 11,
    titleFontWeight: 'normal',
    labelLimit: 230,
  },
  title: { fontSize: 12, fontWeight: 600, color: INK, anchor: 'start' },
  header: { labelColor: INK },
};

/** Forbids all loading. */
const NO_LOADER: Loader = {
  load: () => Promise.reject(new Error('a drawing asked for a file')),
  sanitize: () => Promise.reject(new Error('a drawing asked for a file')),
  http: () => Promise.reject(new Error('a drawing asked for a file')),
  file: () => Promise.reject(new Error('a drawing asked for a file')),
};

/** Screen readers read `label`. */
export async function drawSvg(spec: TopLevelSpec, label: string): Promise<string> {
  // Loaded lazily, because it is a quarter of all code.
  const [{ logger, parse, View, Warn }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const silent = logger(Warn, undefined, () => undefined);
  const { spec: compiled } = compile({ ...spec, config: { ...CONFIG, ...spec.config } }, { logger: silent });
  const view = new View(parse(compiled), { renderer: 'none', loader: NO_LOADER, logger: silent });
  const svg = await view.toSVG();
  view.finalize();
  return svg
    .replace(/ xmlns(:\w+)?="[^"]*"/g, '')
    .replace(/<(?:g|path)[^>]*>/g, (tag) => tag.replace(/ (?:role|aria-\w+)="[^"]*"/g, ''))
    .replace('<svg', `<svg role="img" aria-label="${escaped(label)}"`);
}

// Shapes and sides distinguish real from synthetic, so colour alone carries no information.

export type Ticks = Axis['ticks'];

/** Axis labels as a Vega expression. */
export function labelled(ticks: Ticks) {
  const [places, texts] = [ticks.map(({ at }) => at), ticks.map(({ text }) => text)];
  return {
    values: places,
    labelExpr: `${JSON.stringify(texts)}[indexof(${JSON.stringify(places)}, datum.value)]`,
  };
}

export const span = (from: number, to: number): { domain: number[]; nice: false } => ({
  domain: [from, to],
  nice: false,
});

export const SIDES = ['real', 'synthetic'] as const;

// All text from data is escaped.

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Also removes control characters. */
export const escaped = (text: string): string =>
  text.replace(/(?![\t\n\r])\p{Cc}/gu, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

export const paragraph = (text: string, className = ''): string =>
  `<p${className && ` class="${className}"`}>${escaped(text)}</p>`;

/** Scrolls on narrow screens and by keyboard. */
export const wideTable = (
  label: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  className = '',
): string => scrolling(label, table(head, rows, className));

export const scrolling = (label: string, content: string): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(label)}">${content}</div>`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[], className = ''): string =>
  linesTable(
    head,
    rows.map((cells) => cells.map((cell) => [cell])),
    className,
  );

export function linesTable(
  head: readonly string[],
  rows: readonly (readonly (readonly string[])[])[],
  className = '',
): string {
  const cell = (lines: readonly string[]): string => lines.map(escaped).join('<br>');
  const row = (cells: readonly (readonly string[])[]) =>
    `<tr>${cells.map((lines, at) => (at === 0 ? `<th scope="row">${cell(lines)}</th>` : `<td>${cell(lines)}</td>`)).join('')}</tr>`;
  const headers =
    head.length > 0
      ? `<thead><tr>${head.map((text) => `<th scope="col">${escaped(text)}</th>`).join('')}</tr></thead>`
      : '';
  return `<table${className && ` class="${className}"`}>${headers}<tbody>${rows.map(row).join('')}</tbody></table>`;
}

export const figure = (svg: string, caption: string): string =>
  `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`;

export const wideFigure = (svg: string, caption: string, label: string): string =>
  `<figure class="wide">${scrolling(label, svg)}<figcaption>${escaped(caption)}</figcaption></figure>`;

export const section = (id: string, title: string, content: string): string =>
  content === '' ? '' : `<section id="${id}"><h2>${escaped(title)}</h2>${content}</section>`;
