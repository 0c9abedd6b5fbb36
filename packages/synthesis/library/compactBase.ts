/** The default base for text models (docs/compact-base.md). */
import { readFile } from 'node:fs/promises';
import { readTextBase } from '../models/text/base/readTextBase.ts';
import type { TextBase } from '../models/text/base/textBase.ts';

const NAME = 'compact.gguf';

export const compactBase = async (): Promise<TextBase> =>
  readTextBase(new Map([[NAME, await readFile(new URL(`../models/text/base/${NAME}`, import.meta.url))]]));
