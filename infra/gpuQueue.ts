/** Jobs with text columns: one GPU machine each, none at rest. */
import { Duration, Size } from 'aws-cdk-lib';
import {
  AllocationStrategy,
  EcsEc2ContainerDefinition,
  EcsJobDefinition,
  EcsMachineImageType,
  JobQueue,
  ManagedEc2EcsComputeEnvironment,
} from 'aws-cdk-lib/aws-batch';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceType,
  LaunchTemplate,
  LaunchTemplateHttpTokens,
  SubnetType,
} from 'aws-cdk-lib/aws-ec2';
import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge, managedPolicy } from './acknowledge.ts';
import { type JobIdentity, RETRY_RULES, RUNS, startLimits } from './jobDefinition.ts';
import { batchArn } from './names.ts';
import type { Network } from './network.ts';
import type { Settings } from './settings.ts';

/** Machines with one GPU (L4, A10G, T4), 4 vCPUs and 16 GiB: whichever can be had. */
const INSTANCE_TYPES = ['g6.xlarge', 'g5.xlarge', 'g4dn.xlarge'];
const VCPUS = 4;
/** MiB; what the agent and the system leave of 16 GiB. */
const MEMORY = 14_000;
/** GiB: the image with CUDA's libraries, unpacked, and its layers. */
const DISK = 60;

export interface QueueProps {
  name: string;
  settings: Settings;
  network: Network;
  image: ContainerImage;
  identity: JobIdentity;
  environment: Record<string, string>;
}

export class GpuQueue extends Construct {
  readonly queueArn: string;
  readonly definitionArn: string;
  /** The job definition has the same name. */
  readonly queueName: string;
  readonly computeEnvironmentArn: string;

  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id);
    this.queueName = props.name;
    const machines = this.#machines(props);
    new JobQueue(this, 'Queue', {
      jobQueueName: props.name,
      computeEnvironments: [{ computeEnvironment: machines, order: 1 }],
      jobStateTimeLimitActions: startLimits(props.settings),
    });
    this.queueArn = batchArn(this, 'job-queue', props.name);
    this.computeEnvironmentArn = machines.computeEnvironmentArn;
    this.definitionArn = this.#definition(props).jobDefinitionArn;
  }

  #machines({ settings, network }: QueueProps): ManagedEc2EcsComputeEnvironment {
    return new ManagedEc2EcsComputeEnvironment(this, 'Machines', {
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.closedGroup(this, 'Group', 'GPU machines: nothing comes in')],
      images: [{ imageType: EcsMachineImageType.ECS_AL2023_NVIDIA }],
      instanceTypes: INSTANCE_TYPES.map((type) => new InstanceType(type)),
      useOptimalInstanceClasses: false,
      minvCpus: 0,
      maxvCpus: settings.maxGpuInstances * VCPUS,
      enabled: settings.maxGpuInstances > 0,
      spot: settings.spot,
      allocationStrategy: settings.spot
        ? AllocationStrategy.SPOT_PRICE_CAPACITY_OPTIMIZED
        : AllocationStrategy.BEST_FIT_PROGRESSIVE,
      launchTemplate: this.#launchTemplate(),
      instanceRole: this.#machineRole(),
      terminateOnUpdate: false,
      updateTimeout: Duration.minutes(Math.min(360, Math.ceil(settings.jobTimeout / 60))),
    });
  }

  #launchTemplate(): LaunchTemplate {
    return new LaunchTemplate(this, 'LaunchTemplate', {
      httpTokens: LaunchTemplateHttpTokens.REQUIRED,
      httpPutResponseHopLimit: 1,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(DISK, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
        },
      ],
    });
  }

  #machineRole(): Role {
    const managed = ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonEC2ContainerServiceforEC2Role');
    const role = new Role(this, 'MachineRole', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      managedPolicies: [managed],
    });
    acknowledge(role, {
      [managedPolicy('AmazonEC2ContainerServiceforEC2Role')]:
        'The policy of the ECS agent, which AWS keeps in step with the agent in its own image.',
    });
    return role;
  }

  #definition(props: QueueProps): EcsJobDefinition {
    return new EcsJobDefinition(this, 'Definition', {
      jobDefinitionName: props.name,
      container: new EcsEc2ContainerDefinition(this, 'Container', {
        image: props.image,
        cpu: VCPUS,
        memory: Size.mebibytes(MEMORY),
        gpu: 1,
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
