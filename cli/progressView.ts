import { clearLine, cursorTo } from 'node:readline';
import type { ProgressEntry, Stage } from '../packages/contract/events.ts';
import { entryText, untimedText } from '../packages/words/events.ts';
import type { ProgressForm } from './optionTable.ts';
import type { ResultOptions } from './parsedCommand.ts';

interface ProgressView {
  say(entry: ProgressEntry): void;
  end(): void;
}

const REDRAW_MS = 200;
const BAR_WIDTH = 20;
const STANDARD_COLUMNS = 80;

/** Default: none with JSON or quiet, a bar on a terminal, else stages. */
export function progressOf(
  { progress, quiet, json }: Pick<ResultOptions, 'progress' | 'quiet' | 'json'>,
  stream: NodeJS.WriteStream,
): ProgressView {
  const suits = quiet || json ? 'none' : stream.isTTY ? 'bar' : 'stages';
  return VIEWS[progress ?? suits](stream);
}

const done = (): void => undefined;

const VIEWS: Record<ProgressForm, (stream: NodeJS.WriteStream) => ProgressView> = {
  none: () => ({ say: done, end: done }),
  lines: (stream) => ({ say: (entry) => void stream.write(`${entryText(entry, 'cli')}\n`), end: done }),
  stages: stageLines,
  bar: drawnLine,
};

const STAGE_WORDS: Partial<Record<Stage, string>> = {
  load: 'Reading the table …',
  fit: 'Fitting the models …',
  generate: 'Generating rows …',
  measure: 'Measuring them …',
};

/** Prints each stage once, the last event in full, and other texts unchanged. */
export function stageLines(stream: Pick<NodeJS.WriteStream, 'write'>): ProgressView {
  const said = new Set<string>();
  const say = (line: string): void => {
    if (!said.has(line)) stream.write(`${line}\n`);
    said.add(line);
  };
  return {
    say(entry) {
      if (typeof entry === 'string') return say(entry);
      const line = entry.fact === 'finished' ? entryText(entry, 'cli') : STAGE_WORDS[entry.stage];
      if (line !== undefined) say(line);
    },
    end: done,
  };
}

function drawnLine(stream: NodeJS.WriteStream): ProgressView {
  const start = performance.now();
  let latest: ProgressEntry = '';
  const draw = () => {
    clearLine(stream, 0);
    cursorTo(stream, 0);
    stream.write(drawn(latest, (performance.now() - start) / 1000, stream.columns || STANDARD_COLUMNS));
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    say(entry) {
      latest = entry;
      draw();
    },
    end() {
      clearInterval(timer);
      clearLine(stream, 0);
      cursorTo(stream, 0);
    },
  };
}

/** Cut to `columns` characters, since wrapped lines cannot be redrawn. */
export function drawn(entry: ProgressEntry, seconds: number, columns: number): string {
  const share = progressShare(entry);
  const bar = share === undefined ? '' : `[${'#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '·')}] `;
  const text = `${Math.floor(seconds)} s  ${bar}${untimedText(entry, 'cli')}`;
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
}

/** Undefined without counts. */
export function progressShare(entry: ProgressEntry): number | undefined {
  if (typeof entry === 'string' || !('done' in entry)) return undefined;
  const { done, total } = entry;
  return total > 0 && done <= total ? done / total : undefined;
}
