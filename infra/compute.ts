import { join } from 'node:path';
import { Duration, Size } from 'aws-cdk-lib';
import {
  EcsFargateContainerDefinition,
  EcsJobDefinition,
  FargateComputeEnvironment,
  JobQueue,
} from 'aws-cdk-lib/aws-batch';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage, CpuArchitecture, FargatePlatformVersion, OperatingSystemFamily } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { ENV } from '../service/job/environment.ts';
import { GpuQueue, JobIdentity, type QueueProps, RETRY_RULES, RUNS, startLimits } from './gpuQueue.ts';
import { type Access, jobGrants, type Targets } from './grants.ts';
import type { Network } from './network.ts';
import { batchArn, type Settings, stackName } from './settings.ts';

/** CUDA 12 with cuDNN. */
const GPU_BUILD = {
  BASE_IMAGE: 'nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04',
  ONNXRUNTIME_NODE_INSTALL: 'cuda12',
};

interface ComputeProps {
  settings: Settings;
  network: Network;
  access: Access;
  stores: Record<string, string>;
}

export class Compute extends Construct {
  readonly cpuImage: ContainerImage;
  readonly queueArns: readonly string[];
  readonly targets: Targets;
  readonly environment: Record<string, string>;

  constructor(scope: Construct, id: string, { settings, network, access, stores }: ComputeProps) {
    super(scope, id);
    const name = stackName(settings.stage);
    const gpuImage = containerImage(this, 'GpuImage', { prebuilt: settings.gpuImage, buildArgs: GPU_BUILD });
    const cpuImage = containerImage(this, 'CpuImage', { prebuilt: settings.cpuImage, buildArgs: {} });
    this.cpuImage = cpuImage.image;
    const identity = new JobIdentity(this, 'Job', { settings, statements: jobGrants(access) });
    const shared = { settings, network, identity };
    const environmentOf = ({ name }: NamedImage) => ({ ...stores, [ENV.containerImage]: name });
    const gpu = new GpuQueue(this, 'Gpu', {
      ...shared,
      name: `${name}-gpu`,
      image: gpuImage.image,
      // A GPU machine is expensive, so a job that cannot use the GPU fails.
      environment: { ...environmentOf(gpuImage), [ENV.tensorBackend]: settings.gpuBackend },
    });
    const cpu = new CpuQueue(this, 'Cpu', {
      ...shared,
      name: `${name}-cpu`,
      image: cpuImage.image,
      environment: environmentOf(cpuImage),
    });
    this.queueArns = [gpu.queueArn, cpu.queueArn];
    this.targets = { queues: [gpu.queueName, cpu.queueName], definitions: [gpu.queueName, cpu.queueName] };
    this.environment = {
      [ENV.gpuQueue]: gpu.queueArn,
      [ENV.cpuQueue]: cpu.queueArn,
      [ENV.gpuJobDefinition]: gpu.definitionArn,
      [ENV.cpuJobDefinition]: cpu.definitionArn,
      [ENV.computeEnvironment]: gpu.computeEnvironmentArn,
    };
  }
}

const ROOT = join(import.meta.dirname, '..');

const ECR_IMAGE = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com\/([\w./-]+?)(?::([\w.-]+))?$/;

interface ImageProps {
  prebuilt: string | undefined;
  buildArgs: Record<string, string>;
}

/** `name` appears in receipts. */
interface NamedImage {
  image: ContainerImage;
  name: string;
}

function containerImage(scope: Construct, id: string, { prebuilt, buildArgs }: ImageProps): NamedImage {
  if (prebuilt === undefined) return builtImage(scope, id, buildArgs);
  const [, account, region, repositoryName, tag] = ECR_IMAGE.exec(prebuilt) ?? [];
  if (!account || !region || !repositoryName) {
    return { image: ContainerImage.fromRegistry(prebuilt), name: prebuilt };
  }
  const repositoryArn = `arn:aws:ecr:${region}:${account}:repository/${repositoryName}`;
  const repository = Repository.fromRepositoryAttributes(scope, id, { repositoryArn, repositoryName });
  return { image: ContainerImage.fromEcrRepository(repository, tag ?? 'latest'), name: prebuilt };
}

function builtImage(scope: Construct, id: string, buildArgs: Record<string, string>): NamedImage {
  const file = 'gpu-job/Dockerfile';
  const asset = new DockerImageAsset(scope, id, { directory: ROOT, file, buildArgs, platform: Platform.LINUX_AMD64 });
  return { image: ContainerImage.fromDockerImageAsset(asset), name: asset.imageUri };
}

// Fargate starts within a minute and needs no GPU.

const VCPUS = 4;
/** MiB. */
const MEMORY = 16_384;

class CpuQueue extends Construct {
  readonly queueArn: string;
  readonly definitionArn: string;
  readonly queueName: string;

  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id);
    const { settings, network } = props;
    this.queueName = props.name;
    const machines = new FargateComputeEnvironment(this, 'Machines', {
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.closedGroup(this, 'Group', 'CPU jobs: nothing comes in')],
      maxvCpus: settings.maxRunningJobs * VCPUS,
      spot: settings.spot,
    });
    new JobQueue(this, 'Queue', {
      jobQueueName: props.name,
      computeEnvironments: [{ computeEnvironment: machines, order: 1 }],
      jobStateTimeLimitActions: startLimits(settings),
    });
    this.queueArn = batchArn(this, 'job-queue', props.name);
    this.definitionArn = this.#definition(props).jobDefinitionArn;
  }

  #definition(props: QueueProps): EcsJobDefinition {
    return new EcsJobDefinition(this, 'Definition', {
      jobDefinitionName: props.name,
      container: new EcsFargateContainerDefinition(this, 'Container', {
        image: props.image,
        cpu: VCPUS,
        memory: Size.mebibytes(MEMORY),
        assignPublicIp: true,
        fargatePlatformVersion: FargatePlatformVersion.LATEST,
        fargateCpuArchitecture: CpuArchitecture.X86_64,
        fargateOperatingSystemFamily: OperatingSystemFamily.LINUX,
        jobRole: props.identity.role,
        executionRole: props.identity.executionRole,
        logging: props.identity.logging,
        readonlyRootFilesystem: true,
        environment: props.environment,
      }),
      retryAttempts: RUNS,
      retryStrategies: RETRY_RULES,
      timeout: Duration.seconds(props.settings.jobTimeout),
      propagateTags: true,
    });
  }
}
