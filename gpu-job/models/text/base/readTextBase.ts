/** A base from the files of its folder: one GGUF file, or safetensors with their configuration and tokenizer. */
import { readGguf } from './readGguf.ts';
import { readSafetensors, SAFETENSORS_FILES } from './readSafetensors.ts';
import { type BaseFiles, type TextBase, TextBaseError } from './textBase.ts';

/** Whether a file of a base's folder is one that is read. */
export const isBaseFile = (name: string): boolean =>
  name.endsWith('.gguf') || Object.values(SAFETENSORS_FILES).some((known) => known === name);

/** Throws TextBaseError, whose message says what was found and where. */
export function readTextBase(files: BaseFiles): TextBase {
  const gguf = [...files].filter(([name]) => name.endsWith('.gguf'));
  if (gguf.length > 1) throw new TextBaseError(`there are ${gguf.length} GGUF files; name one of them in TEXT_BASE`);
  const [one] = gguf;
  if (!one) {
    if (files.has(SAFETENSORS_FILES.weights)) return readSafetensors(files);
    throw new TextBaseError('there is neither a GGUF file nor model.safetensors');
  }
  const [name, bytes] = one;
  try {
    return readGguf(bytes);
  } catch (error) {
    if (error instanceof TextBaseError) throw new TextBaseError(`${name}: ${error.message}`);
    throw error;
  }
}
