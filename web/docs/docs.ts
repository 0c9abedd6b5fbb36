/** GET /api-docs: search, copy buttons, and calls with the visitor's own key. The page reads well without it. */
import { tryCalls } from './tryCall.ts';

function filterSections(): void {
  const search = document.querySelector<HTMLInputElement>('#search');
  const said = document.querySelector('#found');
  const sections = [...document.querySelectorAll<HTMLElement>('section[data-call]')];
  search?.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const section of sections) {
      const text = section.textContent.toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      section.hidden = !isFound;
      const entry = document.querySelector<HTMLElement>(`li[data-for="${section.id}"]`);
      if (entry) entry.hidden = !isFound;
      if (isFound) found++;
    }
    if (said) said.textContent = words.length === 0 ? '' : `${found} of ${sections.length} calls`;
  });
}

function addCopyButtons(): void {
  for (const snippet of document.querySelectorAll<HTMLElement>('.snippet')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy: ${snippet.dataset.title ?? ''}`);
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(snippet.querySelector('pre')?.textContent ?? '');
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Select it by hand';
      }
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    snippet.append(button);
  }
}

filterSections();
addCopyButtons();
tryCalls();
