/** Multipart bodies byte by byte, so that tests can make wrong ones. */

export const BOUNDARY = 'test-boundary-7MA4YWxk';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export interface Part {
  name: string;
  /** Left out: a field, not a file. */
  fileName?: string;
  content: string | Uint8Array;
}

export const filePart = (content: string | Uint8Array, fileName = 'table.csv', name = 'file'): Part => ({
  name,
  fileName,
  content,
});

export function multipart(parts: readonly Part[], end = `\r\n--${BOUNDARY}--\r\n`): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ name, fileName, content }, i) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/csv`;
    const head = `${i > 0 ? '\r\n' : ''}--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content)];
  });
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(end)]));
}
