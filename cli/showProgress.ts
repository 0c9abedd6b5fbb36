/** Progress of a job: one line that is drawn again on a terminal, else a line for each thing that happens. */
import { clearLine, cursorTo } from 'node:readline';

export interface ProgressView {
  say(line: string): void;
  /** Takes the drawn line away. */
  end(): void;
}

const REDRAW_MS = 200;
const BAR_WIDTH = 20;
const STANDARD_COLUMNS = 80;

export function showProgress(stream: NodeJS.WriteStream, now: () => number): ProgressView {
  if (!stream.isTTY) return { say: (line) => void stream.write(`${line}\n`), end: () => undefined };
  const start = now();
  let latest = '';
  const draw = () => {
    clearLine(stream, 0);
    cursorTo(stream, 0);
    stream.write(drawn(latest, (now() - start) / 1000, stream.columns || STANDARD_COLUMNS));
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    say(line) {
      latest = line;
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
export function drawn(line: string, seconds: number, columns: number): string {
  const share = shareOf(line);
  const bar = share === undefined ? '' : `[${'#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '·')}] `;
  const text = `${Math.floor(seconds)} s  ${bar}${line.replace(/ \([\d.]+ s\)$/, '')}`;
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
}

/** Of "500 of 2,000": 0.25. Undefined where the line counts nothing. */
export function shareOf(line: string): number | undefined {
  const [, part, whole] = /([\d,]+) of ([\d,]+)/.exec(line) ?? [];
  const [done, all] = [Number(part?.replaceAll(',', '')), Number(whole?.replaceAll(',', ''))];
  return all > 0 && done <= all ? done / all : undefined;
}
