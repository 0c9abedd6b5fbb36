/** Where a job stands, read from its progress lines. */
import type { StatusReply } from '../../domain/schema/replies.ts';

export const STAGES = ['Waiting', 'Reading', 'Learning', 'Making rows', 'Measuring', 'Writing'] as const;
export type Stage = (typeof STAGES)[number];

/** Lines of a kind: their stage, and the part of the whole bar that they fill. */
interface Band {
  stage: Stage;
  of: RegExp;
  from: number;
  to: number;
}

/** The first that fits a line is its band. Making and measuring stand first: their lines begin like those of learning. */
const BANDS: readonly Band[] = [
  { stage: 'Writing', of: /^(Wrote|Pipeline finished)/, from: 0.97, to: 1 },
  { stage: 'Measuring', of: /^Metrics/, from: 0.72, to: 0.96 },
  { stage: 'Making rows', of: /: [\d,]+ of [\d,]+ (rows?|distinct ones?)\b|\bmade\b|: none in /, from: 0.6, to: 0.7 },
  { stage: 'Learning', of: /^Text: epoch/, from: 0.42, to: 0.6 },
  { stage: 'Learning', of: /^(Text|Identifiers)/, from: 0.4, to: 0.42 },
  { stage: 'Learning', of: /^(Regression|Sampling|Target ")/, from: 0.2, to: 0.4 },
  { stage: 'Learning', of: /^Continuous/, from: 0.1, to: 0.2 },
  { stage: 'Learning', of: /^(Categories|Copula)/, from: 0.06, to: 0.1 },
  { stage: 'Learning', of: /^(Kept|All [\d,]+ rows?) /, from: 0.05, to: 0.06 },
  { stage: 'Reading', of: /^(Target model|Text model|Read |Family)/, from: 0.02, to: 0.05 },
];

const WAITING: Partial<Record<StatusReply['status'], string>> = {
  started: 'Waiting for a free place',
  running: 'Starting',
};

export interface Standing {
  stage: Stage;
  /** 0 to 1, of the whole job; it never goes back while lines are added. */
  share: number;
  /** The latest line, or what is waited for. */
  line: string;
}

/** A line of an unknown kind changes nothing; none leads back. */
export function standingOf(status: StatusReply['status'], lines: readonly string[]): Standing {
  const said = lines.at(-1) ?? WAITING[status] ?? '';
  if (status === 'done') return { stage: 'Writing', share: 1, line: said };
  let at = 0;
  let share = 0;
  for (const line of lines) {
    const band = BANDS.find(({ of }) => of.test(line));
    if (!band) continue;
    at = Math.max(at, STAGES.indexOf(band.stage));
    share = Math.max(share, band.from + (band.to - band.from) * partOf(line));
  }
  return { stage: STAGES[at]!, share, line: said };
}

/** "3 of 5" as a share; 0 where a line has none. */
function partOf(line: string): number {
  const [, done, all] = /\b([\d,]+) of ([\d,]+)\b/.exec(line) ?? [];
  return done && all ? Math.min(1, number(done) / Math.max(1, number(all))) : 0;
}

const number = (text: string): number => Number(text.replaceAll(',', ''));
