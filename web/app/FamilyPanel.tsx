import { useEffect, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { DetectFamilyReply } from '../../packages/contract/replies.ts';
import { decimal, familyName } from '../../packages/words/format.ts';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf } from './service.ts';

export function FamilyPanel({ service, jobId, target }: { service: SyntheticTables; jobId: string; target: string }) {
  const [choice, setChoice] = useState<DetectFamilyReply>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    setChoice(undefined);
    setError(undefined);
    service
      .detectFamily(jobId, target)
      .then((found) => isCurrent && setChoice(found))
      .catch((caught) => isCurrent && setError(problemOf(caught)));
    return () => {
      isCurrent = false;
    };
  }, [service, jobId, target]);
  return (
    <div class="note" aria-live="polite">
      {!choice && !error && <p>Choosing a family for "{target}"…</p>}
      <Problem error={error} />
      {choice && (
        <>
          <p>
            Automatic choice for "{target}": <strong>{familyName(choice.family)}</strong>.
          </p>
          <p class="soft">{choice.reason}</p>
          {choice.candidates.length > 0 && (
            <details>
              <summary>Families compared</summary>
              <table>
                <thead>
                  <tr>
                    <th scope="col">Family</th>
                    <th scope="col">Held-out log score (higher is better)</th>
                  </tr>
                </thead>
                <tbody>
                  {choice.candidates.map(({ family, log_score }) => (
                    <tr key={family}>
                      <td>{familyName(family)}</td>
                      <td>{decimal(log_score)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </details>
          )}
        </>
      )}
    </div>
  );
}
