/** The parts of a page, one after the other, and the links to those that have something to say. */

/** Its id on the page, the word of its link, and its HTML: empty if it has nothing to say. */
export type PagePart<Report> = readonly [id: string, link: string, (report: Report) => string | Promise<string>];

/** HTML. `yieldToEventLoop` is awaited between the parts, and throws if the job is to stop. */
export async function renderParts<Report>(
  parts: readonly PagePart<Report>[],
  report: Report,
  yieldToEventLoop: () => Promise<void>,
): Promise<string> {
  const contents: string[] = [];
  const links: string[] = [];
  for (const [id, word, part] of parts) {
    const content = await part(report);
    if (content !== '') links.push(`<a href="#${id}">${word}</a>`);
    contents.push(content);
    await yieldToEventLoop();
  }
  return `<nav aria-label="Parts">${links.join('')}</nav>\n${contents.join('\n')}`;
}
