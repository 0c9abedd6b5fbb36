import { CfnOutput, Duration, Fn, Stack, type StackProps, Tags } from 'aws-cdk-lib';
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
import { ENV } from '../service/job/environment.ts';
import { Api, LAMBDA_UPLOAD_BYTES } from './api.ts';
import { acknowledge } from './cdk.ts';
import { Compute } from './compute.ts';
import { JobEvents, Reconciler, ServiceFunctions } from './functions.ts';
import { Access, uploadServiceGrants } from './grants.ts';
import type { FunctionName } from './lambdas.ts';
import { Network } from './network.ts';
import { type Settings, stackName, storesEnvironment } from './settings.ts';
import { Records, Storage } from './storage.ts';
import { UploadService } from './uploadService.ts';
import { COST_TAG, Watch } from './watch.ts';

interface ServiceStackProps extends StackProps {
  settings: Settings;
  folderOf(name: FunctionName): string;
}

export class ServiceStack extends Stack {
  readonly #zones: number;

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, { description: 'Synthetic tables: tables that behave like real ones', ...props });
    const { settings } = props;
    this.#zones = settings.availabilityZones;
    Tags.of(this).add(COST_TAG, stackName(settings.stage));
    Tags.of(this).add('stage', settings.stage);

    const storage = new Storage(this, 'Storage', settings);
    const { table } = new Records(this, 'Records', settings);
    const network = new Network(this, 'Network', { logs: storage.logs });
    const access = new Access(this, { tableArn: table.tableArn, bucketArn: storage.data.bucketArn });
    const stores = storesEnvironment(settings, { tableName: table.tableName, bucketName: storage.data.bucketName });
    const compute = new Compute(this, 'Compute', { settings, network, access, stores });

    const functions = this.#functions(props, access, compute, stores);
    const { rest: api } = new Api(this, 'Api', { settings, functions });
    const uploads = settings.uploadService
      ? new UploadService(this, 'UploadService', {
          settings,
          network,
          logs: storage.logs,
          image: compute.cpuImage,
          environment: stores,
          statements: uploadServiceGrants(access),
        })
      : undefined;
    const { url } = new BaseUrl(this, 'BaseUrl', { settings, api, uploads: uploads?.balancer });

    const { reconcile, expire } = functions;
    new JobEvents(this, 'JobEvents', { queueArns: compute.queueArns, reconcile });
    new Reconciler(this, 'Reconciler', { reconcile, expire });
    new Watch(this, 'Watch', { settings, api, table, functions, uploads });

    this.#output('BaseUrl', url, 'The address to give to clients');
    this.#output('ApiUrl', api.url, 'API Gateway, behind the base URL');
    if (uploads) this.#output('UploadUrl', `http://${uploads.balancer.loadBalancerDnsName}`, 'Inside the network only');
    this.#output('TableName', table.tableName, 'Records');
    this.#output('BucketName', storage.data.bucketName, 'Uploads and results');
  }

  /** By number, so that a template without account and region has them. */
  override get availabilityZones(): string[] {
    return Array.from({ length: this.#zones }, (_, i) => Fn.select(i, Fn.getAzs()));
  }

  #functions(
    { settings, folderOf }: ServiceStackProps,
    access: Access,
    { targets, environment }: Compute,
    stores: Record<string, string>,
  ): ServiceFunctions['byName'] {
    const all = {
      ...stores,
      ...environment,
      [ENV.maxUploadBytes]: String(LAMBDA_UPLOAD_BYTES),
      [ENV.metricsNamespace]: stackName(settings.stage),
    };
    return new ServiceFunctions(this, 'Functions', { settings, folderOf, access, targets, environment: all }).byName;
  }

  /** Scripts use the names, so they must not depend on the tree. */
  #output(name: string, value: string, description: string): void {
    new CfnOutput(this, `Output${name}`, { value, description }).overrideLogicalId(name);
  }
}

/** CloudFront otherwise caches these for ten seconds, for all clients. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const API_TIMEOUT = Duration.seconds(60);
/** For large spreadsheets; CloudFront's maximum without a higher quota. */
const UPLOAD_TIMEOUT = Duration.seconds(120);

interface BaseUrlProps {
  settings: Settings;
  api: RestApi;
  uploads: IApplicationLoadBalancer | undefined;
}

class BaseUrl extends Construct {
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

/** Every answer depends on the key. */
const passThrough = (origin: IOrigin): BehaviorOptions => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  compress: false,
});

/** CloudFront reaches the private load balancer inside AWS's network. */
const uploadOrigin = (balancer: IApplicationLoadBalancer): IOrigin =>
  VpcOrigin.withApplicationLoadBalancer(balancer, {
    protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
    readTimeout: UPLOAD_TIMEOUT,
  });
