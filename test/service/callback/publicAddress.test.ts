import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, isPublicAddress } from '../../../service/callback/callbackUrl.ts';

/** The same by the system's own lists: the IANA registries of special-purpose addresses. */
const special = new BlockList();
for (const block of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24',
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '))) {
  const [address = '', bits = ''] = block.split('/');
  special.addSubnet(address, Number(bits), 'ipv4');
}
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const special6 = new BlockList();
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f::', 32],
  ['3fff::', 20],
] as const)
  special6.addSubnet(address, bits, 'ipv6');

const near = fc.constantFrom(10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 0, 8);
const v4 = fc
  .tuple(fc.oneof(near, fc.nat(255)), fc.oneof(fc.constantFrom(0, 16, 31, 32, 64, 88, 168, 254), fc.nat(255)))
  .chain(([a, b]) => fc.tuple(fc.nat(255), fc.nat(255)).map(([c, d]) => `${a}.${b}.${c}.${d}`));
const first = fc.constantFrom(
  '2001',
  '2002',
  '2620',
  '3fff',
  '2a00',
  'fe80',
  'fc00',
  'ff02',
  '0',
  '64',
  '1fff',
  '4000',
);

describe('isPublicAddress', () => {
  it('says of IPv4 addresses what a list of the registry’s blocks says', () => {
    fc.assert(
      fc.property(v4, (address) => isPublicAddress(address) === !special.check(address)),
      { numRuns: 3000 },
    );
  });

  it('says of IPv6 addresses what lists of the registry’s blocks say', () => {
    const groups = fc.array(fc.nat(65_535), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(first, fc.constantFrom('0', 'db8', '4f', '200', '0'), groups, (a, b, rest) => {
        const address = [a, b, ...rest.slice(1).map((group) => group.toString(16))].join(':');
        return isPublicAddress(address) === (global6.check(address, 'ipv6') && !special6.check(address, 'ipv6'));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.1.1',
    '0.0.0.0',
    '255.255.255.255',
    '100.100.100.200',
    '169.254.169.254',
    'fd00:ec2::254',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '::7f00:1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '010.8.8.8',
    '8.8.8',
    '1:2:3',
    ':::',
    '8.8.8.8.',
    '2a00::1::2',
  ])('refuses %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '192.167.255.255', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2A00::'])(
    'takes %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it('knows an address where the system knows one', () => {
    const texts = fc.oneof(v4, fc.ipV6(), fc.ipV4(), fc.domain(), fc.string({ maxLength: 12 }));
    fc.assert(
      fc.property(texts, (text) => text.includes('%') || isAddress(text) === isIP(text) > 0),
      {
        numRuns: 2000,
      },
    );
  });
});
