import { JobError, ServiceError } from '../../packages/contract/errors.ts';
import { problemText } from '../../packages/words/problems.ts';

/** What a refusal or failure says over HTTP. Throws what is neither. */
export function httpText(thrown: unknown): string {
  if (thrown instanceof ServiceError || thrown instanceof JobError) return problemText(thrown, 'http');
  throw thrown;
}

/** Its code and words. */
export const told = (thrown: unknown): { code: string; message: string } => {
  const message = httpText(thrown);
  return { code: thrown instanceof ServiceError || thrown instanceof JobError ? thrown.code : '', message };
};

/** Matches params whose words, over HTTP, have the text or the pattern. */
export const saying = (words: string | RegExp) => ({
  asymmetricMatch(params: unknown): boolean {
    const text = problemText({ code: '', params }, 'http');
    return typeof words === 'string' ? text.includes(words) : words.test(text);
  },
  toString: () => `saying ${words}`,
});
