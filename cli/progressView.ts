/** Progress of a job: one line that is drawn again on a terminal, else a line for each thing that happens. */
import { clearLine, cursorTo } from 'node:readline';
import type { ProgressEntry } from '../packages/contract/events.ts';
import { entryText, untimedText } from '../packages/words/events.ts';

interface ProgressView {
  say(entry: ProgressEntry): void;
  /** Takes the drawn line away. */
  end(): void;
}

const REDRAW_MS = 200;
const BAR_WIDTH = 20;
const STANDARD_COLUMNS = 80;

export function showProgress(stream: NodeJS.WriteStream, now: () => number): ProgressView {
  if (!stream.isTTY) return { say: (entry) => void stream.write(`${entryText(entry, 'cli')}\n`), end: () => undefined };
  const start = now();
  let latest: ProgressEntry = '';
  const draw = () => {
    clearLine(stream, 0);
    cursorTo(stream, 0);
    stream.write(drawn(latest, (now() - start) / 1000, stream.columns || STANDARD_COLUMNS));
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

/** @param seconds since the start. Cut to `columns` characters, since a line that wraps cannot be drawn over. */
export function drawn(entry: ProgressEntry, seconds: number, columns: number): string {
  const share = shareOf(entry);
  const bar = share === undefined ? '' : `[${'#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '·')}] `;
  const text = `${Math.floor(seconds)} s  ${bar}${untimedText(entry, 'cli')}`;
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
}

/** Undefined where nothing is counted. */
export function shareOf(entry: ProgressEntry): number | undefined {
  if (typeof entry === 'string' || !('done' in entry)) return undefined;
  const { done, total } = entry;
  return total > 0 && done <= total ? done / total : undefined;
}
