/** The whole deployment, one construct a concern. */
import { CfnOutput, Fn, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../domain/job/environment.ts';
import { Access } from './access.ts';
import { Api, LAMBDA_UPLOAD_BYTES } from './api.ts';
import { BaseUrl } from './baseUrl.ts';
import { COST_TAG } from './budget.ts';
import { Compute } from './compute.ts';
import { storesEnvironment } from './environment.ts';
import { JobEvents } from './events.ts';
import { ServiceFunctions } from './functions.ts';
import { uploadServiceGrants } from './grants.ts';
import type { FunctionName } from './lambdaNames.ts';
import { stackName } from './names.ts';
import { Network } from './network.ts';
import { Reconciler } from './reconciler.ts';
import { Records } from './records.ts';
import type { Settings } from './settings.ts';
import { Storage } from './storage.ts';
import { UploadService } from './uploadService.ts';
import { Watch } from './watch.ts';

export interface ServiceStackProps extends StackProps {
  settings: Settings;
  /** The folder of a function's bundle. */
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

  /** By number, so that a template without an account and a region has them, too. */
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

  /** Outputs are named for scripts: their names must not depend on where they stand in the tree. */
  #output(name: string, value: string, description: string): void {
    new CfnOutput(this, `Output${name}`, { value, description }).overrideLogicalId(name);
  }
}
