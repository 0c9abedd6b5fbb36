/** The small base that comes with the package (docs/compact-base.md): what models of text start from where no larger one is named. */
import { readFile } from 'node:fs/promises';
import { readTextBase } from '../models/text/base/readTextBase.ts';
import type { TextBase } from '../models/text/base/textBase.ts';

const NAME = 'compact.gguf';

export const compactBase = async (): Promise<TextBase> =>
  readTextBase(new Map([[NAME, await readFile(new URL(`../models/text/base/${NAME}`, import.meta.url))]]));
