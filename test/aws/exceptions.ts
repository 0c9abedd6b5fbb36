/**
 * Portable tests that the emulator, or the gateway that it imitates, makes impossible: each with the reason. Nothing else
 * is left out.
 */
export interface Exception {
  /** End of the file's path. */
  file: string;
  title: string;
  because: string;
}

const ROUTING = 'contract/routing.test.ts';

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: ROUTING,
    title: 'answers a method that it does not know like any other',
    because: 'API Gateway and CloudFront pass seven methods on and refuse all others themselves; so does the emulator',
  },
  {
    file: ROUTING,
    title: 'answers 404 not_found at //, whatever the method and without a key',
    because: 'the emulator takes two slashes for one',
  },
  {
    file: ROUTING,
    title: 'takes headers of 32 KB',
    because: 'API Gateway takes 10,240 bytes of headers, the HTTP server of the emulator 16,384',
  },
  {
    file: ROUTING,
    title: 'is refused compressed',
    because: 'the emulator unpacks a compressed body itself, and answers 500 where it cannot',
  },
  {
    file: 'contract/wholeWay.test.ts',
    title: 'says the length of a result without sending it',
    because:
      'API Gateway renames a Content-Length that a function gives and counts the body itself; so does the emulator',
  },
];
