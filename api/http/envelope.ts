/** The envelope of every JSON answer. */

export const succeeded = <Data>(data: Data) => ({ success: true as const, data, error: null });

export const failed = (code: string, message: string) => ({
  success: false as const,
  data: null,
  error: { message, code },
});
