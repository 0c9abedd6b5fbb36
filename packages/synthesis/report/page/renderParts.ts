/** HTML is empty if there is nothing to show. */
export type PagePart<Report> = readonly [id: string, link: string, (report: Report) => string | Promise<string>];

/** `yieldToEventLoop` throws if the job must stop. */
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
