/** The one address of the service: CloudFront in front of API Gateway and, for uploads, of the upload service. */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { RestApiOrigin, VpcOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IApplicationLoadBalancer } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Settings } from './settings.ts';

/** CloudFront keeps these for ten seconds unless told otherwise, for every client alike, with a key or without one. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const API_TIMEOUT = Duration.seconds(60);
/** Reading a large spreadsheet takes its time; longer than this needs a higher quota of CloudFront's. */
const UPLOAD_TIMEOUT = Duration.seconds(120);

export interface BaseUrlProps {
  settings: Settings;
  api: RestApi;
  /** Where POST /upload goes; to the API where there is none. */
  uploads: IApplicationLoadBalancer | undefined;
}

export class BaseUrl extends Construct {
  readonly distribution: Distribution;
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, api, uploads }: BaseUrlProps) {
    super(scope, id);
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `Synthetic tables, ${settings.stage}`,
      defaultBehavior: passThrough(new RestApiOrigin(api, { readTimeout: API_TIMEOUT })),
      additionalBehaviors: uploads ? { '/upload': passThrough(uploadOrigin(uploads)) } : {},
      errorResponses: CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
      ...this.#ownName(settings),
    });
    this.url = `https://${settings.domainName ?? this.distribution.distributionDomainName}`;
    this.#acknowledge(settings);
  }

  #ownName({ domainName, certificateArn }: Settings) {
    if (!domainName || !certificateArn) return {};
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    return { domainNames: [domainName], certificate, minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021 };
  }

  #acknowledge(settings: Settings): void {
    acknowledge(this.distribution, {
      CFR1: 'Open to every country: who may use it is decided by keys.',
      CFR2: 'No WAF: eight dollars a month at rest. Stage throttling and the slot limit bound what a flood can cost.',
      CFR3: 'Each request is logged where it is answered: by API Gateway or the load balancer, and by the application.',
      ...(settings.certificateArn
        ? {}
        : { CFR4: 'The name under cloudfront.net has a fixed policy. domainName and certificateArn bring TLS 1.2.' }),
    });
  }
}

/** Nothing is cached: every answer depends on the key. */
const passThrough = (origin: IOrigin): BehaviorOptions => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  compress: false,
});

/** The load balancer has no public address: CloudFront reaches it inside AWS's network. */
const uploadOrigin = (balancer: IApplicationLoadBalancer): IOrigin =>
  VpcOrigin.withApplicationLoadBalancer(balancer, {
    protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
    readTimeout: UPLOAD_TIMEOUT,
  });
