/** What `auto` would choose for the target, and why. */
import { useEffect, useState } from 'preact/hooks';
import type { DetectFamilyReply } from '../../domain/schema/replies.ts';
import { familyWords } from '../logic/familyWords.ts';
import { figure } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { Problem } from './Problem.tsx';

export function FamilyPanel({ api, jobId, target }: { api: Api; jobId: string; target: string }) {
  const [choice, setChoice] = useState<DetectFamilyReply>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    let isCurrent = true;
    setChoice(undefined);
    setError(undefined);
    api
      .detectFamily(jobId, target)
      .then((found) => isCurrent && setChoice(found))
      .catch((caught) => isCurrent && setError(asApiError(caught)));
    return () => {
      isCurrent = false;
    };
  }, [api, jobId, target]);
  return (
    <div class="note" aria-live="polite">
      {!choice && !error && <p>Looking at "{target}"…</p>}
      <Problem error={error} />
      {choice && (
        <>
          <p>
            For "{target}", <code>auto</code> chooses <strong>{familyWords(choice.family)}</strong>.
          </p>
          <p class="soft">{choice.reason}</p>
          {choice.candidates.length > 0 && (
            <details>
              <summary>The families that were compared</summary>
              <table>
                <thead>
                  <tr>
                    <th scope="col">Family</th>
                    <th scope="col">Log score on rows not seen (more is better)</th>
                  </tr>
                </thead>
                <tbody>
                  {choice.candidates.map(({ family, log_score }) => (
                    <tr key={family}>
                      <td>{familyWords(family)}</td>
                      <td>{figure(log_score)}</td>
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
