import { describe, expect, it } from 'vitest';
import { checkCallbackUrl } from '../../../service/callback/callbackUrl.ts';
import { saying } from '../../support/problems.ts';

describe('checkCallbackUrl', () => {
  it('takes an https address of the public internet, without its fragment', () => {
    expect(checkCallbackUrl('https://example.org:8443/a?b=c#d', 'public')).toBe('https://example.org:8443/a?b=c');
    expect(checkCallbackUrl('https://[2606:4700::1]/', 'public')).toBe('https://[2606:4700::1]/');
  });

  it.each([
    ['http://example.org/', /https:/],
    ['ftp://example.org/', /https:/],
    ['javascript:alert(1)', /https:/],
    ['example.org', /must be an address such as/],
    ['', /must be an address such as/],
    ['https://user:secret@example.org/', /password/],
    [`https://example.org/${'a'.repeat(2100)}`, /at most 2,048/],
    ['https://localhost/', /public internet/],
    ['https://receiver/', /public internet/],
    ['https://a.localhost/', /public internet/],
    ['https://printer.local./', /public internet/],
    ['https://metadata.google.internal/', /public internet/],
    ['https://127.0.0.1/', /public internet/],
    ['https://2130706433/', /public internet/],
    ['https://0x7f.1/', /public internet/],
    ['https://169.254.169.254/latest/meta-data', /public internet/],
    ['https://[::1]/', /public internet/],
    ['https://[::ffff:10.0.0.1]/', /public internet/],
    ['https://[fd00:ec2::254]/', /public internet/],
  ])('refuses %s', (address, message) => {
    expect(() => checkCallbackUrl(address, 'public')).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', field: 'callback_url', params: saying(message) }),
    );
  });

  it('takes any address by http where tests allow it, and still no password', () => {
    expect(checkCallbackUrl('http://127.0.0.1:8000/x', 'any')).toBe('http://127.0.0.1:8000/x');
    expect(() => checkCallbackUrl('http://a:b@127.0.0.1/', 'any')).toThrow('callback_url_with_password');
    expect(() => checkCallbackUrl('file:///etc/passwd', 'any')).toThrow('callback_url_not_https');
  });
});
