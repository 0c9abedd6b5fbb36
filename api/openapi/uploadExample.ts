/** An upload that was read, as an example. */
import type { UploadReply } from '../../domain/schema/replies.ts';

export const uploadExample: UploadReply = {
  job_id: '0f8c1a…',
  columns: ['species', 'mass'],
  col_types: { species: 'categorical', mass: 'continuous' },
  n_rows: 344,
  warnings: ['Column "mass" has 2 missing values (0.6 %); it is made with as large a share of them.'],
  profile: {
    columns: [
      {
        name: 'species',
        kind: 'categorical',
        confidence: 0.98,
        suggested_role: 'categorical',
        evidence: ['texts that repeat: 3 distinct texts in 344 cells'],
        runner_up: null,
        dress: null,
        missing: 0,
        missing_tokens: [],
        distinct: 3,
        picture: {
          kind: 'levels',
          levels: [
            ['Adelie', 152],
            ['Gentoo', 124],
            ['Chinstrap', 68],
          ],
          others: 0,
        },
      },
    ],
    relations: [
      {
        kind: 'copy',
        column: 'weight',
        of: 'mass',
        rows: 344,
        sentence: 'Column "weight" is a copy of "mass" in all 344 rows looked at.',
      },
    ],
  },
};
