/** Where a job stands, read from its progress lines. */
import type { StatusReply } from '../../domain/schema/replies.ts';

export const STAGES = ['Waiting', 'Reading', 'Learning', 'Making rows', 'Measuring', 'Writing'] as const;
export type Stage = (typeof STAGES)[number];

/** Share of the whole bar that lies before each stage: learning and measuring take most of the time. */
const STARTS: Record<Stage, number> = {
  Waiting: 0,
  Reading: 0.03,
  Learning: 0.08,
  'Making rows': 0.55,
  Measuring: 0.7,
  Writing: 0.96,
};

const MARKS: [Stage, RegExp][] = [
  ['Writing', /^(Wrote|Pipeline finished)/],
  ['Measuring', /^(Metrics|Measur|Cross|Privacy|Fidelity|Utility|Compar)/i],
  ['Making rows', /\d of [\d,]+ (rows?|distinct ones?)\b|\bmade\b|: none in /],
  ['Learning', /^(Sampling|Regression|Categories|Continuous|Text "|Identifiers|Kept|All \d|Target ")/],
  ['Reading', /^(Target model|Text model|Read |Family)/],
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

/** Of lines of one stage the latest that says "n of m" tells how far the stage is. */
export function standingOf(status: StatusReply['status'], lines: readonly string[]): Standing {
  let at = 0;
  let share = 0;
  for (const line of lines) {
    // Models learn one after the other, and the first line of a stage is its start: no line leads back.
    at = Math.max(at, stageIndex(line));
    share = Math.max(share, shareAt(STAGES[at]!, line));
  }
  if (status === 'done') [at, share] = [STAGES.length - 1, 1];
  return { stage: STAGES[at]!, share, line: lines.at(-1) ?? WAITING[status] ?? '' };
}

const stageIndex = (line: string): number => {
  const [stage] = MARKS.find(([, mark]) => mark.test(line)) ?? ['Waiting' as const];
  return STAGES.indexOf(stage);
};

function shareAt(stage: Stage, line: string): number {
  const next = STAGES[STAGES.indexOf(stage) + 1];
  const [from, to] = [STARTS[stage], next ? STARTS[next] : 1];
  const [, done, all] = /([\d,]+) of ([\d,]+)/.exec(line) ?? [];
  const within = done && all ? Math.min(1, number(done) / Math.max(1, number(all))) : 0;
  return from + (to - from) * within * WITHIN_ONE_MODEL;
}

/** Several models report from 0 to all of theirs within one stage: none of them alone fills it. */
const WITHIN_ONE_MODEL = 0.6;

const number = (text: string): number => Number(text.replaceAll(',', ''));
