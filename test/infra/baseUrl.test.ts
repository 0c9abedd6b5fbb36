import { describe, expect, it } from 'vitest';
import { list } from './support/policies.ts';
import { at, flat, OTHERWISE, ofType, synthesise, theOnly } from './support/synthesise.ts';

const standard = synthesise().template;
const otherwise = synthesise(OTHERWISE).template;
const configOf = (template: typeof standard) =>
  theOnly(template, 'AWS::CloudFront::Distribution').Properties.DistributionConfig;

const behaviours = (config: unknown) => [at(config, 'DefaultCacheBehavior'), ...list(at(config, 'CacheBehaviors'))];

describe('base URL', () => {
  it('sends /upload, and nothing else, to the upload service', () => {
    const config = configOf(standard);
    const [, upload, ...more] = behaviours(config);
    expect([at(upload, 'PathPattern'), more]).toEqual(['/upload', []]);
    const origins = new Map(list(at(config, 'Origins')).map((origin) => [at(origin, 'Id'), origin]));
    const toUpload = origins.get(at(upload, 'TargetOriginId'));
    expect(flat(at(toUpload, 'VpcOriginConfig', 'VpcOriginId'))).toMatch(/VpcOrigin/);
    const rest = origins.get(at(config, 'DefaultCacheBehavior', 'TargetOriginId'));
    expect(at(rest, 'CustomOriginConfig')).toMatchObject({
      OriginProtocolPolicy: 'https-only',
      OriginSSLProtocols: ['TLSv1.2'],
    });
  });

  it('sends everything to the API where the upload service is off, and none of its parts is there', () => {
    expect(behaviours(configOf(otherwise)).length).toBe(1);
    const types = ['AWS::ECS::Service', 'AWS::ElasticLoadBalancingV2::LoadBalancer', 'AWS::CloudFront::VpcOrigin'];
    expect(types.flatMap((type) => ofType(otherwise, type))).toEqual([]);
    expect(Object.keys(otherwise.Outputs)).not.toContain('UploadUrl');
  });

  it('is HTTPS alone, passes every method and header, and caches no answer', () => {
    const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
    const ALL_VIEWER_EXCEPT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';
    for (const behaviour of [standard, otherwise].flatMap((template) => behaviours(configOf(template)))) {
      expect(behaviour).toMatchObject({
        ViewerProtocolPolicy: 'https-only',
        CachePolicyId: CACHING_DISABLED,
        OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST,
        Compress: false,
      });
      expect(list(at(behaviour, 'AllowedMethods'))).toContain('DELETE');
    }
  });

  it('caches no error, either, which CloudFront otherwise does for ten seconds and for every key alike', () => {
    const responses = list(at(configOf(standard), 'CustomErrorResponses'));
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(responses).toEqual(codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  it('has a name and a certificate of its own where they are given, with TLS 1.2 at least', () => {
    expect(configOf(otherwise)).toMatchObject({
      Aliases: ['tables.example.org'],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    });
    expect(at(otherwise.Outputs, 'BaseUrl', 'Value')).toBe('https://tables.example.org');
  });

  it('is told by outputs that scripts can rely on', () => {
    const named = ['ApiUrl', 'BaseUrl', 'BucketName', 'TableName', 'UploadUrl'];
    expect(Object.keys(standard.Outputs)).toEqual(expect.arrayContaining(named));
  });

  it("lets CloudFront's own addresses alone reach the load balancer where their list is given", () => {
    const { template } = synthesise({ cloudFrontPrefixList: 'pl-0123456789abcdef0' });
    const groups = ofType(template, 'AWS::EC2::SecurityGroup').flatMap(([, { Properties }]) =>
      list(Properties.SecurityGroupIngress),
    );
    const rules = [
      ...groups,
      ...ofType(template, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties),
    ];
    expect(rules.filter((rule) => at(rule, 'CidrIp') !== undefined)).toEqual([]);
    expect(rules.some((rule) => at(rule, 'SourcePrefixListId') === 'pl-0123456789abcdef0')).toBe(true);
  });
});
