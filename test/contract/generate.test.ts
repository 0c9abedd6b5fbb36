import { beforeAll, describe, expect, it } from 'vitest';
import { generateReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv, ODD_NAMES, oddNamesCsv } from '../support/tables.ts';

const service = useDeployment();
let job = '';
let oddJob = '';
beforeAll(async () => {
  job = await service.newJob(housesCsv());
  oddJob = await service.newJob(oddNamesCsv());
});

const WHOLE = { target_col: 'price', continuous_cols: ['area'], categorical_cols: ['city'], text_cols: ['note'] };
const BOUNDS = {
  n_samples: [1, 1_000_000],
  draws: [100, 10_000],
  tune: [100, 10_000],
  text_epochs: [1, 100],
  seed: [0, Number.MAX_SAFE_INTEGER],
} as const;

const DECIMALS = { text_temperature: [0.1, 2], text_nucleus: [0.1, 1] } as const;

type Case = [title: string, fields: Record<string, unknown>, code: string, said: string];

const wrongNumbers = Object.entries(BOUNDS).flatMap(([field, [min, max]]): Case[] =>
  [min - 1, max + 1, -1e300, min + 0.5, String(min + 1), true, [min + 1], {}].map((value): Case => {
    const rule = `${field} must be a whole number from ${min} to ${max}; found ${JSON.stringify(value)}`;
    return [`${field} = ${JSON.stringify(value)}`, { [field]: value }, 'invalid_parameter', rule];
  }),
);

const wrongDecimals = Object.entries(DECIMALS).flatMap(([field, [min, max]]): Case[] =>
  [0, min - 0.01, max + 0.01, -1e300, String(max), true, [max]].map((value): Case => {
    const rule = `${field} must be a number from ${min} to ${max}; found ${JSON.stringify(value)}`;
    return [`${field} = ${JSON.stringify(value)}`, { [field]: value }, 'invalid_parameter', rule];
  }),
);

const wrongLists = ['continuous_cols', 'categorical_cols', 'text_cols'].flatMap((field): Case[] => [
  [`${field}: a name without a list`, { [field]: 'area' }, 'invalid_parameter', field],
  [`${field}: a number`, { [field]: 3 }, 'invalid_parameter', '3'],
  [`${field}: an object`, { [field]: { 0: 'area' } }, 'invalid_parameter', field],
  [`${field}: null inside`, { [field]: ['rooms', null] }, 'invalid_parameter', `${field}[1]`],
  [`${field}: a list inside`, { [field]: [['rooms']] }, 'invalid_parameter', `${field}[0]`],
  [`${field}: an unknown column`, { [field]: ['rooms', 'roms'] }, 'column_not_found', 'price, area, rooms'],
  [`${field}: an empty name`, { [field]: [''] }, 'column_not_found', 'price, area'],
  [`${field}: __proto__`, { [field]: ['__proto__'] }, 'column_not_found', '__proto__'],
  [`${field}: constructor`, { [field]: ['constructor'] }, 'column_not_found', 'constructor'],
  [`${field}: quotes, commas, lines, emoji`, { [field]: ['a,"b"\n🦒\ud800'] }, 'column_not_found', '🦒'],
  [`${field}: a column twice`, { [field]: ['rooms', 'rooms'] }, 'invalid_parameter', 'rooms'],
  [`${field}: the target again`, { [field]: ['price'] }, 'invalid_parameter', 'price'],
  [`${field}: too long a name`, { [field]: ['x'.repeat(100_000)] }, 'column_not_found', 'xxx'],
]);

const wrongOthers: Case[] = [
  ['a column in two roles', { text_cols: ['city'] }, 'invalid_parameter', 'city'],
  ['a target that is a number', { target_col: 5 }, 'invalid_parameter', 'target_col'],
  ['a target that is a list', { target_col: ['price'] }, 'invalid_parameter', 'target_col'],
  ['a target of words', { target_col: 'note', text_cols: [] }, 'invalid_parameter', 'note'],
  ['an unknown target', { target_col: 'Price' }, 'column_not_found', 'Price'],
  ['words as continuous', { continuous_cols: ['city'], categorical_cols: [] }, 'invalid_parameter', 'city'],
  ['neither target nor text', { target_col: null, text_cols: [] }, 'missing_target', 'text_cols'],
  ['an unknown family', { family: 'cauchy' }, 'invalid_parameter', 'negative_binomial'],
  ['a family in capitals', { family: 'Gaussian' }, 'invalid_parameter', 'gaussian'],
  ['a family of the wrong type', { family: 1 }, 'invalid_parameter', 'gaussian'],
  ['__proto__ as family', { family: '__proto__' }, 'invalid_parameter', 'gaussian'],
  ['a family that cannot hold the target', { family: 'poisson' }, 'invalid_parameter', 'in row 2'],
  ['conditions that are no list', { conditions: 'area > 5' }, 'invalid_parameter', 'conditions must be a list'],
  [
    'a condition without a question',
    { conditions: [{ column: 'city' }] },
    'invalid_parameter',
    'conditions[0] must have',
  ],
  ['a condition on no column', { conditions: [{ column: 'town', equals: 'x' }] }, 'column_not_found', 'price, area'],
  ['a condition on text', { conditions: [{ column: 'note', equals: 'x' }] }, 'invalid_parameter', 'text_cols'],
  ['a level that is not there', { conditions: [{ column: 'city', equals: '?' }] }, 'invalid_parameter', '"?"'],
  ['several faults at once', { n_samples: 0, draws: 'x' }, 'invalid_parameter', 'draws must be'],
];

describe('POST /generate', () => {
  it.each([...wrongNumbers, ...wrongDecimals, ...wrongLists, ...wrongOthers])(
    'refuses %s',
    async (_title, fields, code, said) => {
      const reply = await service.post('/generate', { job_id: job, ...WHOLE, ...fields });
      expect(verdict(reply)).toEqual([400, code]);
      expect(reply.error?.message).toContain(said);
      expect((await service.status(job)).status).toBe('uploaded');
    },
  );

  it.each([
    [undefined],
    [null],
    [''],
    [7],
    [['x']],
    [{}],
    ['nobody'],
    ['../upload'],
    ['__proto__'],
    ['x'.repeat(50_000)],
    ['\u0000'],
  ])('refuses the job %j before it looks at any other field', async (jobId) => {
    const reply = await service.post('/generate', {
      ...WHOLE,
      job_id: jobId,
      n_samples: 'many',
      target_col: 'nothing',
    });
    expect(verdict(reply)).toEqual([400, 'invalid_job']);
  });

  it('refuses a number that JSON can write and a program cannot hold', async () => {
    const body = `{"job_id":"${job}","target_col":"price","n_samples":1e400}`;
    expect(verdict(await service.send('POST', '/generate', { body }))).toEqual([400, 'invalid_parameter']);
  });

  it('refuses bad parameters of a job with odd names by those names', async () => {
    for (const name of ODD_NAMES.filter((odd) => odd !== 'y' && odd !== '')) {
      const reply = await service.post('/generate', {
        job_id: oddJob,
        target_col: 'y',
        categorical_cols: [name, name],
      });
      expect(verdict(reply)).toEqual([400, 'invalid_parameter']);
      expect(reply.error?.message).toContain(JSON.stringify(name));
    }
  });

  it('starts a job once, and names the fields that it ignored and the keys that it makes anew', async () => {
    const numbered = housesCsv()
      .split('\n')
      .map((line, row) => (line === '' ? line : `${row === 0 ? 'house_id' : row + 200},${line}`));
    const id = await service.newJob(numbered.join('\n'));
    const fields = { target_col: 'price', continuous_cols: ['house_id'], n_samples: 5 };
    const body = { job_id: id, ...fields, epochs: 3, 'col_types"\n': {}, text_epochs: null };
    const reply = await service.post('/generate', body);
    expect([reply.status, reply.error]).toEqual([200, null]);
    const data = generateReplySchema.strict().parse(reply.data);
    expect(data).toMatchObject({ status: 'started', job_id: id });
    expect(data.warnings?.join()).toMatch(/"epochs".*col_types.*"house_id" has keys/);
    const again = await service.post('/generate', { job_id: id, target_col: 'price' });
    expect(verdict(again)).toEqual([409, 'job_conflict']);
    const bad = await service.post('/generate', { job_id: id, target_col: 'price', n_samples: 0 });
    expect(verdict(bad), '400 comes before 409').toEqual([400, 'invalid_parameter']);
    await service.end(id);
    if ((await service.status(id)).status === 'done') {
      expect(verdict(await service.post('/generate', { job_id: id, target_col: 'price' }))).toEqual([
        409,
        'job_conflict',
      ]);
    }
  });

  it('says nothing of warnings where every field is known', async () => {
    const id = await service.newJob(housesCsv());
    const reply = await service.post('/generate', { job_id: id, text_cols: ['note'], n_samples: 1, text_epochs: 1 });
    expect(reply.data).toEqual({ status: 'started', job_id: id });
    await service.end(id);
  });
});
