/** The small base model of the package (docs/compact-base.md), the default for text models. */
import { readFile } from 'node:fs/promises';
import { readTextBase } from '../models/text/base/readTextBase.ts';
import type { TextBase } from '../models/text/base/textBase.ts';

const NAME = 'compact.gguf';

export const compactBase = async (): Promise<TextBase> =>
  readTextBase(new Map([[NAME, await readFile(new URL(`../models/text/base/${NAME}`, import.meta.url))]]));
