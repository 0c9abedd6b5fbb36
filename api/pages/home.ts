/** GET /: what the service is, and its four calls. */
import { html } from 'hono/html';
import { type Html, page } from './layout.ts';

const EXAMPLE = `BASE=https://where-this-page-is
KEY=your-key

curl -H "X-API-Key: $KEY" -F file=@table.csv $BASE/upload
# → job_id, and what each column is

curl -H "X-API-Key: $KEY" -H "Content-Type: application/json" $BASE/generate -d '{
  "job_id": "the-job-id",
  "target_col": "price",
  "continuous_cols": ["area", "age"],
  "categorical_cols": ["city"],
  "text_cols": [],
  "n_samples": 3000
}'

curl -H "X-API-Key: $KEY" $BASE/status/the-job-id      # until "status" is "done"
curl -H "X-API-Key: $KEY" -O -J $BASE/download/the-job-id`;

export const home = (version: string): Html =>
  page(
    'Synthetic tables',
    html`
<p>This service makes a synthetic table that behaves like a real one. You upload a CSV file or a spreadsheet (at most
50 MB), say which role each column has, start a job, and download <code>synthetic_data.csv</code> with figures that
compare it with the original.</p>
<h2>Roles</h2>
<table>
<tr><th>Role</th><th>Field of POST /generate</th><th>Columns</th></tr>
<tr><td>target</td><td><code>target_col</code></td><td>one numeric column, the outcome that the others explain</td></tr>
<tr><td>continuous</td><td><code>continuous_cols</code></td><td>other numbers</td></tr>
<tr><td>categorical</td><td><code>categorical_cols</code></td><td>categories</td></tr>
<tr><td>text</td><td><code>text_cols</code></td><td>free text</td></tr>
<tr><td>ignored</td><td>none</td><td>left out of the result</td></tr>
</table>
<h2>Four calls</h2>
<pre>${EXAMPLE}</pre>
<p>A key comes from the operator of this service. Every endpoint, field and error code stands in
<a href="/api-docs">the interface</a>; <code>GET /docs</code>, with a key, is the same for machines (OpenAPI 3.1).</p>
<p>Version ${version}.</p>
`,
  );
