import { Duration, Size } from 'aws-cdk-lib';
import {
  Action,
  AllocationStrategy,
  EcsEc2ContainerDefinition,
  EcsJobDefinition,
  EcsMachineImageType,
  JobQueue,
  type JobStateTimeLimitAction,
  JobStateTimeLimitActionsAction,
  JobStateTimeLimitActionsReason,
  ManagedEc2EcsComputeEnvironment,
  Reason,
  RetryStrategy,
} from 'aws-cdk-lib/aws-batch';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceType,
  LaunchTemplate,
  LaunchTemplateHttpTokens,
  SubnetType,
} from 'aws-cdk-lib/aws-ec2';
import { type ContainerImage, LogDriver } from 'aws-cdk-lib/aws-ecs';
import { ManagedPolicy, Policy, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { EXIT } from '../service/job/failures.ts';
import { acknowledge, acknowledgeStars, managedPolicy } from './cdk.ts';
import type { Network } from './network.ts';
import { batchArn, type Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

/** Maximum runs of an attempt, for reclaimed machines. */
export const RUNS = 4;

/** In order. The last rule ends jobs that failed by themselves, which would fail again. */
export const RETRY_RULES = [
  RetryStrategy.of(Action.RETRY, Reason.custom({ onExitCode: String(EXIT.handedBack) })),
  RetryStrategy.of(Action.RETRY, Reason.custom({ onStatusReason: 'Host EC2*' })),
  RetryStrategy.of(Action.RETRY, Reason.custom({ onStatusReason: 'Your Spot Task was interrupted*' })),
  RetryStrategy.of(Action.EXIT, Reason.custom({ onReason: '*' })),
];

/** Frees slots of jobs that get no machine; the reconciler ends other waits. */
export const startLimits = (settings: Settings): JobStateTimeLimitAction[] =>
  Object.values(JobStateTimeLimitActionsReason).map((reason) => ({
    action: JobStateTimeLimitActionsAction.CANCEL,
    reason,
    maxTime: Duration.seconds(settings.startLimit),
  }));

export class JobIdentity extends Construct {
  readonly role: Role;
  readonly executionRole: Role;
  readonly logGroup: LogGroup;
  readonly logging: LogDriver;

  constructor(scope: Construct, id: string, props: { settings: Settings; statements: readonly PolicyStatement[] }) {
    super(scope, id);
    const assumedBy = new ServicePrincipal('ecs-tasks.amazonaws.com');
    this.logGroup = new LogGroup(this, 'Log', {
      retention: props.settings.logRetentionDays,
      removalPolicy: removalPolicy(props.settings),
    });
    this.logging = LogDriver.awsLogs({ logGroup: this.logGroup, streamPrefix: 'job' });
    this.role = new Role(this, 'Role', { assumedBy, description: 'What a job may do' });
    const policy = new Policy(this, 'Policy', { roles: [this.role], statements: [...props.statements] });
    this.executionRole = new Role(this, 'ExecutionRole', { assumedBy, description: 'Pulls the image, opens the log' });
    acknowledgeStars(policy, policy.document);
    acknowledge(this.executionRole, { 'IAM5[Resource::*]': "ECR's GetAuthorizationToken knows no resource." });
  }
}

/** One GPU (L4, A10G, T4), 4 vCPUs, 16 GiB each. */
const INSTANCE_TYPES = ['g6.xlarge', 'g5.xlarge', 'g4dn.xlarge'];
const VCPUS = 4;
/** MiB that agent and system leave. */
const MEMORY = 14_000;
/** GiB: unpacked image and layers. */
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
