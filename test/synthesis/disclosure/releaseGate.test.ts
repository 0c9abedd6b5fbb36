import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../../../packages/contract/receipt.ts';
import { reportSchema } from '../../../packages/contract/report.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { anyOf, copyBreach, nearBreach, verbatimBreach } from '../../../packages/synthesis/disclosure/breaches.ts';
import { judge } from '../../../packages/synthesis/judge/verdicts/judge.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { sha256Of } from '../../../service/hashing.ts';
import { manifestKey, reportKey } from '../../../service/job/objectKeys.ts';
import { type Asked, profileOf, type World, worldOf } from '../world.ts';

const numbers = (values: number[]): ModelTable => ({
  rows: values.length,
  columns: new Map([['x', { kind: 'numeric', name: 'x', values: Float64Array.from(values) }]]),
});
const texts = (values: (string | null)[]): ModelTable => ({
  rows: values.length,
  columns: new Map([['t', { kind: 'text', name: 't', values }]]),
});
const X = { numeric: ['x'], categorical: [], text: [] };

describe('breaches', () => {
  it('are rows that equal a real row that occurs once, and no others', () => {
    const breach = copyBreach(numbers([1, 2, 2, 3]), X);
    expect([...breach(numbers([1, 2, 3, 4, Number.NaN]))]).toEqual([1, 0, 1, 0, 0]);
    expect([...copyBreach(numbers([1]), { ...X, numeric: [] })(numbers([1]))]).toEqual([0]);
  });

  it('are texts with a long run that few real texts have, and short ones that few have whole', () => {
    const own = 'nobody else ever wrote these very words about a house by the sea';
    const phrase = 'this phrase of more than forty characters stands in every text here';
    const real = texts([own, 'short', null, '', ...Array.from({ length: 5 }, () => phrase)]);
    const made = texts([`And ${own.slice(3, 50)}!`, own.slice(0, 39), phrase, 'short', 'shorter', null, '']);
    expect([...verbatimBreach(real, ['t'])(made)]).toEqual([1, 0, 0, 1, 0, 0, 0]);
  });

  it('are texts that one owner has in many rows, and no others', () => {
    const own = 'nobody else ever wrote these very words about a house by the sea';
    const phrase = 'this phrase of more than forty characters stands in every text here';
    const real = texts([...Array.from({ length: 6 }, () => own), ...Array.from({ length: 6 }, () => phrase)]);
    const owners = Int32Array.from({ length: 12 }, (_, row) => (row < 6 ? 0 : row));
    const made = texts([own, phrase]);
    expect([...verbatimBreach(real, ['t'], owners)(made)]).toEqual([1, 0]);
    expect([...verbatimBreach(real, ['t'])(made)]).toEqual([0, 0]);
  });

  it('are rows as near to training rows as few held-out rows are', () => {
    const train = numbers(Array.from({ length: 100 }, (_, i) => i * 10));
    const holdout = numbers(Array.from({ length: 40 }, (_, i) => 2000 + i));
    expect([...nearBreach(train, holdout, X)(numbers([200, 2000, 2030]))]).toEqual([1, 1, 0]);
    expect([...nearBreach(train, numbers([]), X)(numbers([200]))]).toEqual([0]);
  });

  it('are those of any rule', () => {
    const none = () => new Uint8Array(3);
    const middle = () => Uint8Array.of(0, 1, 0);
    expect([...anyOf([none, middle])(numbers([1, 2, 3]))]).toEqual([0, 1, 0]);
    expect([...anyOf([])(numbers([1]))]).toEqual([0]);
  });
});

/** 90 rows of whole numbers and categories, in which many rows stand once and models make many of them again. */
function smallNumbers(): string {
  const random = createStream(5, 'rows');
  const rows = Array.from({ length: 90 }, () => {
    const c = random.integer(3);
    return `${random.integer(20) + c * 4},${'abc'[c]},${'ns'[random.integer(2)]}`;
  });
  return `y,c,d\n${rows.join('\n')}\n`;
}
const ASKED: Asked = { target_col: 'y', categorical_cols: ['c', 'd'], n_samples: 150 };

const text = (world: World, key: string): string => new TextDecoder().decode(world.service.files.get(key));
const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');

async function ended(asked: Asked, csv = smallNumbers()): Promise<World> {
  const world = await worldOf(csv, asked);
  await world.run();
  return world;
}

const copiesIn = (world: World, csv: string): number => {
  const real = csv.trim().split('\n').slice(1);
  const once = new Set(real.filter((row) => real.filter((other) => other === row).length === 1));
  return world
    .file()
    .trim()
    .split('\n')
    .slice(1)
    .filter((row) => once.has(row)).length;
};

describe('a release policy', () => {
  it('redraws rows that equal a real row, and says how many', async () => {
    const [plain, gated] = [await ended(ASKED), await ended({ ...ASKED, policy: { exact_copies: 0 } })];
    expect(plain.job().metrics?.release).toBeNull();
    expect(copiesIn(plain, smallNumbers())).toBeGreaterThan(0);
    expect(copiesIn(gated, smallNumbers())).toBe(0);
    const release = gated.job().metrics?.release;
    expect(release).toMatchObject({ outcome: 'passed', reasons: [], found: { exact_copies: 0, verbatim_text: null } });
    expect(release?.redrawn).toBeGreaterThanOrEqual(copiesIn(plain, smallNumbers()));
    expect(gated.job().metrics?.rows_generated).toBe(150);
  });

  it('keeps conditions where it redraws rows', async () => {
    const conditions = [{ column: 'c', equals: 'a', rows: 60 }];
    const world = await ended({ ...ASKED, conditions, policy: { exact_copies: 0 } });
    expect(world.job().metrics?.release).toMatchObject({ outcome: 'passed' });
    const [plain] = [await ended({ ...ASKED, conditions })];
    const ofA = (one: World) =>
      one
        .file()
        .trim()
        .split('\n')
        .filter((row) => row.split(',')[1] === 'a').length;
    expect(ofA(world)).toBe(ofA(plain));
    expect(ofA(world)).toBeGreaterThanOrEqual(60);
  });

  it('withholds what breaks it all the same, with reasons, and a report without texts beside the whole one', async () => {
    const world = await ended({ ...ASKED, policy: { max_nearest_train_share_lower: 0 } });
    const { state, metrics } = world.job();
    expect([state, metrics?.release?.outcome]).toEqual(['done', 'withheld']);
    expect(metrics?.release?.reasons.join()).toMatch(/lower bound, 95 %.*the policy allows 0/);
    const [shown, whole] = [true, false].map((hides) =>
      reportSchema.parse(JSON.parse(text(world, reportKey('job', 1, 'json', hides ? 'withheld' : 'whole')))),
    );
    expect([shown?.text_samples, whole?.text_samples]).toEqual([null, []]);
    expect(text(world, reportKey('job', 1, 'html', 'withheld'))).toContain(
      'The rows are withheld by the release policy.',
    );
  });

  it.each([
    ['max_membership_auc_lower', 0, /An attack tells .* AUC of at least 0\.\d{3} .*the policy allows 0/],
    ['max_singling_out_excess', 0, /Singling out may succeed up to 0\.\d{3} more often .*the policy allows 0/],
    ['max_linkability_excess', 0, /Linkability may succeed up to .*the policy allows 0/],
    ['max_attribute_excess', 0, /Attribute inference may succeed up to .*the policy allows 0/],
  ] as const)('bounds what attacks find: %s', async (rule, most, reason) => {
    const { metrics } = (await ended({ ...ASKED, policy: { [rule]: most } })).job();
    expect(metrics?.release).toMatchObject({ outcome: 'withheld', policy: { [rule]: most } });
    expect(metrics?.release?.reasons).toEqual([expect.stringMatching(reason)]);
    const loose = (await ended({ ...ASKED, policy: { [rule]: 1 } })).job();
    expect(loose.metrics?.release?.outcome).toBe('passed');
  });

  it.each([undefined, {}, { exact_copies: 50 }])(
    'withholds what is made of few rows, whatever it says: %j',
    async (policy) => {
      const csv = 'y,c\n1,a\n2,b\n3,a\n4,b\n';
      const asked = { target_col: 'y', categorical_cols: ['c'], n_samples: 4, allow_few_rows: true };
      const { metrics } = (await ended({ ...asked, ...(policy && { policy }) }, csv)).job();
      expect(metrics?.release).toMatchObject({ outcome: 'withheld', found: { real_rows: 4 } });
      expect(metrics?.release?.reasons.join()).toContain('Fewer than 50 real rows');
      const [privacy] = judge(metrics!).filter(({ area }) => area === 'privacy');
      expect(privacy).toMatchObject({ grade: 'poor', sentences: [expect.stringContaining('withheld')] });
    },
  );

  it('that asks for nothing changes nothing', async () => {
    const [plain, empty] = [await ended(ASKED), await ended({ ...ASKED, policy: {} })];
    expect(empty.file()).toBe(plain.file());
    expect(empty.job().metrics?.release).toBeNull();
  });
});

describe('what lies beside a result', () => {
  it('is the receipt’s manifest: the same file and request give the same bytes again', async () => {
    const csv = smallNumbers();
    const first = await ended({ ...ASKED, seed: 11, policy: { exact_copies: 0 } }, csv);
    const manifest = manifestSchema.parse(JSON.parse(text(first, manifestKey('job', 1))));
    const { receipt } = first.job();
    const salted = Buffer.concat([Buffer.from(receipt?.input_salt ?? '', 'hex'), Buffer.from(csv)]);
    expect(manifest.input).toEqual({ name: 'table.csv', commitment: sha256Of(salted) });
    expect(receipt?.manifest_sha256).toBe(sha256(text(first, manifestKey('job', 1))));
    expect(manifest.output).toMatchObject({ sha256: sha256(first.file()), rows: 150, columns: ['y', 'c', 'd'] });
    expect(manifest.metrics).toEqual(first.job().metrics);
    const again = await ended(manifest.request, csv);
    expect(sha256(again.file())).toBe(manifest.output.sha256);
  });

  it.each<[string, string, Asked]>([
    ['one row', 'y,c\n1,a\n2,b\n3,a\n', { target_col: 'y', categorical_cols: ['c'], n_samples: 1 }],
    ['constants', `y,c\n${'5,a\n'.repeat(30)}`, { target_col: 'y', categorical_cols: ['c'], n_samples: 20 }],
    [
      'empty columns',
      `y,x,c\n${Array.from({ length: 30 }, (_, i) => `${i},,`).join('\n')}\n`,
      { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'], n_samples: 20 },
    ],
    [
      'numbers at the ends of doubles',
      `y\n${Array.from({ length: 30 }, (_, i) => (i % 2 ? '1e308' : '-1e308')).join('\n')}\n`,
      { target_col: 'y', n_samples: 20 },
    ],
  ])('is a report also of %s', async (_title, csv, asked) => {
    const world = await worldOf(csv, asked, await profileOf(csv));
    await world.run();
    expect(world.job().metrics?.notes.filter((note) => note.includes('report'))).toEqual([]);
    reportSchema.parse(JSON.parse(text(world, reportKey('job', 1, 'json'))));
    expect(text(world, reportKey('job', 1, 'html'))).toMatch(/<\/html>\n$/);
  });
});
