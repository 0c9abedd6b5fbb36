/** Text for pages: what comes from data is escaped, whoever wrote it. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters, which no page may hold, are left out. */
export const escaped = (text: string): string =>
  text.replace(/(?![\t\n\r])\p{Cc}/gu, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

export const paragraph = (text: string, className = ''): string =>
  `<p${className && ` class="${className}"`}>${escaped(text)}</p>`;

/** Cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], className = ''): string {
  const line = (cells: readonly string[]) =>
    `<tr>${cells.map((cell, at) => (at === 0 ? `<th scope="row">${escaped(cell)}</th>` : `<td>${escaped(cell)}</td>`)).join('')}</tr>`;
  const headers =
    head.length > 0
      ? `<thead><tr>${head.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join('')}</tr></thead>`
      : '';
  return `<table${className && ` class="${className}"`}>${headers}<tbody>${rows.map(line).join('')}</tbody></table>`;
}

/** A drawing with words below it; a screen reader reads the same words. */
export const figure = (svg: string, caption: string): string =>
  `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`;

export const section = (id: string, title: string, content: string): string =>
  content === '' ? '' : `<section id="${id}"><h2>${escaped(title)}</h2>${content}</section>`;
