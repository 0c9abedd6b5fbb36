/** Where jobs run: an image, an identity and a queue for those that want a GPU and those that do not. */

import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { ENV } from '../domain/job/environment.ts';
import type { Access } from './access.ts';
import { containerImage } from './containerImage.ts';
import { CpuQueue } from './cpuQueue.ts';
import { GpuQueue } from './gpuQueue.ts';
import { jobGrants, type Targets } from './grants.ts';
import { JobIdentity } from './jobDefinition.ts';
import { stackName } from './names.ts';
import type { Network } from './network.ts';
import type { Settings } from './settings.ts';

/** What the job's own layers are put on: CUDA's libraries for the GPU, plain Node.js elsewhere. */
const GPU_BASE = 'nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04';
const CPU_BASE = 'node:24-bookworm-slim';

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
    const gpuImage = containerImage(this, 'GpuImage', { prebuilt: settings.gpuImage, base: GPU_BASE });
    this.cpuImage = containerImage(this, 'CpuImage', { prebuilt: settings.cpuImage, base: CPU_BASE });
    const identity = new JobIdentity(this, 'Job', { settings, statements: jobGrants(access) });
    const shared = { settings, network, identity, environment: stores };
    const gpu = new GpuQueue(this, 'Gpu', { ...shared, name: `${name}-gpu`, image: gpuImage });
    const cpu = new CpuQueue(this, 'Cpu', { ...shared, name: `${name}-cpu`, image: this.cpuImage });
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
