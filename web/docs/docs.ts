/** GET /api-docs; the page works without it. */

const KEY = 'key';
const MAX_SHOWN = 20_000;

/** Shares the key with the start page. */
function shareKey(): () => string {
  const field = document.querySelector<HTMLInputElement>('#key');
  try {
    if (field) field.value = sessionStorage.getItem(KEY) ?? '';
    field?.addEventListener('change', () => sessionStorage.setItem(KEY, field.value.trim()));
  } catch {
    // Without storage, the key is lost with the page.
  }
  return () => field?.value.trim() ?? '';
}

function tryCalls(): void {
  const keyNow = shareKey();
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-method]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, keyNow());
    });
  }
}

async function send(form: HTMLFormElement, key: string): Promise<void> {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  if (!output || !button) return;
  button.disabled = true;
  output.textContent = 'Sending…';
  try {
    const started = performance.now();
    const answer = await fetch(addressOf(form), requestOf(form, key));
    const text = await textOf(answer);
    const took = Math.round(performance.now() - started);
    show(
      output,
      `${answer.status} ${answer.statusText} · ${took} ms · ${answer.headers.get('Content-Type') ?? ''}`,
      text,
    );
  } catch (error) {
    show(output, 'Not sent', error instanceof Error ? error.message : String(error));
  } finally {
    button.disabled = false;
  }
}

const fieldsOf = (form: HTMLFormElement, kind: string) => [
  ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(`[data-in="${kind}"]`),
];

function addressOf(form: HTMLFormElement): string {
  let path = form.dataset.path ?? '';
  for (const field of fieldsOf(form, 'path')) {
    if (field.value.trim() === '') throw new Error(`Enter ${field.name} first; POST /upload returns it.`);
    path = path.replace(`{${field.name}}`, encodeURIComponent(field.value.trim()));
  }
  const query = new URLSearchParams();
  for (const { name, value } of fieldsOf(form, 'query')) if (value !== '') query.set(name, value);
  return query.size > 0 ? `${path}?${query}` : path;
}

function requestOf(form: HTMLFormElement, key: string): RequestInit {
  const method = (form.dataset.method ?? 'get').toUpperCase();
  const headers: Record<string, string> = key === '' ? {} : { 'X-API-Key': key };
  for (const { name, value } of fieldsOf(form, 'header')) if (value.trim() !== '') headers[name] = value.trim();
  const [file] = fieldsOf(form, 'file');
  const [json] = fieldsOf(form, 'json');
  if (file instanceof HTMLInputElement) {
    const chosen = file.files?.[0];
    if (!chosen) throw new Error('Choose a file first.');
    const body = new FormData();
    body.append(file.name, chosen);
    return { method, headers, body };
  }
  if (!json) return { method, headers };
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: json.value };
}

async function textOf(answer: Response): Promise<string> {
  const text = await answer.text();
  const shown = /json/.test(answer.headers.get('Content-Type') ?? '')
    ? JSON.stringify(JSON.parse(text), null, 2)
    : text;
  return shown.length > MAX_SHOWN
    ? `${shown.slice(0, MAX_SHOWN)}\n… (${shown.length.toLocaleString('en')} characters)`
    : shown;
}

function show(output: HTMLOutputElement, title: string, text: string): void {
  const head = document.createElement('p');
  head.textContent = title;
  const body = document.createElement('pre');
  body.textContent = text;
  body.tabIndex = 0;
  output.replaceChildren(head, body);
}

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
        button.textContent = 'Select and copy it yourself';
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
