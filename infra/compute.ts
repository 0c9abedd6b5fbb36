/** Where jobs run: an image, an identity and a queue for those that want a GPU and those that do not. */

import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { ENV } from '../domain/job/environment.ts';
import type { Access } from './access.ts';
import { containerImage, type NamedImage } from './containerImage.ts';
import { CpuQueue } from './cpuQueue.ts';
import { GpuQueue } from './gpuQueue.ts';
import { jobGrants, type Targets } from './grants.ts';
import { JobIdentity } from './jobDefinition.ts';
import { stackName } from './names.ts';
import type { Network } from './network.ts';
import type { Settings } from './settings.ts';

/** How gpu-job/Dockerfile is built: on CUDA 12 with cuDNN for the GPU, else as the file itself says. */
const GPU_BUILD = {
  BASE_IMAGE: 'nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04',
  ONNXRUNTIME_NODE_INSTALL: 'cuda12',
};

export interface ComputeProps {
  settings: Settings;
  network: Network;
  access: Access;
  /** Names of the stores, for the job's environment. */
  stores: Record<string, string>;
}

export class Compute extends Construct {
  readonly cpuImage: ContainerImage;
  readonly queueArns: readonly string[];
  /** Names that jobs are submitted to and as. */
  readonly targets: Targets;
  /** What those who submit are told. */
  readonly environment: Record<string, string>;

  constructor(scope: Construct, id: string, { settings, network, access, stores }: ComputeProps) {
    super(scope, id);
    const name = stackName(settings.stage);
    const gpuImage = containerImage(this, 'GpuImage', { prebuilt: settings.gpuImage, buildArgs: GPU_BUILD });
    const cpuImage = containerImage(this, 'CpuImage', { prebuilt: settings.cpuImage, buildArgs: {} });
    this.cpuImage = cpuImage.image;
    const identity = new JobIdentity(this, 'Job', { settings, statements: jobGrants(access) });
    const shared = { settings, network, identity };
    const told = ({ name }: NamedImage) => ({ ...stores, [ENV.containerImage]: name });
    const gpu = new GpuQueue(this, 'Gpu', {
      ...shared,
      name: `${name}-gpu`,
      image: gpuImage.image,
      environment: told(gpuImage),
    });
    const cpu = new CpuQueue(this, 'Cpu', {
      ...shared,
      name: `${name}-cpu`,
      image: cpuImage.image,
      environment: told(cpuImage),
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
