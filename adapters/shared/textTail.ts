import type { Readable } from 'node:stream';

const KEPT_CHARACTERS = 8192;

/** Reads a stream to its end and keeps the last characters. */
export class TextTail {
  #text = '';

  constructor(stream: Readable | null) {
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      this.#text = (this.#text + chunk).slice(-KEPT_CHARACTERS);
    });
    stream?.on('error', () => {});
  }

  text(): string {
    return this.#text;
  }
}
