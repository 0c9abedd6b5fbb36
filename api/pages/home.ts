/** GET /: the page that takes a table through the service, and the same four calls for programs. */
import { html } from 'hono/html';
import { FAMILIES } from '../../domain/schema/families.ts';
import { BOUNDS, SAMPLING_BOUNDS } from '../../domain/schema/generateRequest.ts';
import { assets } from '../../web/assets.ts';
import type { PageData } from '../../web/logic/contract.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { answerPage, dataBlock } from './scripted.ts';

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

export async function home(document: OpenApiDocument, maxUploadBytes: number): Promise<Response> {
  const { homeScript, style } = await assets();
  const { version } = document.info;
  const data: PageData = {
    version,
    bounds: { ...BOUNDS, ...SAMPLING_BOUNDS },
    families: ['auto', ...FAMILIES],
    maxUploadBytes,
    paths: Object.keys(document.paths),
  };
  const content = html`
<h1>A synthetic table that behaves like yours</h1>
<p>Upload a CSV file or a spreadsheet, say which role each column has, and download <code>synthetic_data.csv</code> with
figures that compare it with the original.</p>
<div id="app"><noscript><p class="card">This page needs JavaScript to take a table through the service. The calls below do the same from a program.</p></noscript></div>
<details class="card">
<summary>What the roles mean, and the same from a program</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Roles">
<table>
<thead><tr><th scope="col">Role</th><th scope="col">Field of POST /generate</th><th scope="col">Columns</th></tr></thead>
<tbody>
<tr><td>target</td><td><code>target_col</code></td><td>one numeric column, the outcome that the others explain</td></tr>
<tr><td>continuous</td><td><code>continuous_cols</code></td><td>other numbers</td></tr>
<tr><td>categorical</td><td><code>categorical_cols</code></td><td>categories</td></tr>
<tr><td>text</td><td><code>text_cols</code></td><td>free text</td></tr>
<tr><td>ignore</td><td>none</td><td>left out of the result</td></tr>
</tbody>
</table>
</div>
<h2>Four calls</h2>
<pre tabindex="0">${EXAMPLE}</pre>
<p>A key comes from the operator of this service. Every endpoint, field and error code stands in
<a href="/api-docs">the interface</a>; <code>GET /docs</code>, with a key, is the same for machines (OpenAPI 3.1).</p>
</details>
${dataBlock('data', data)}
`;
  return answerPage({ title: 'Synthetic tables', style, script: homeScript, content, version });
}
