/** Jobs without text columns: Fargate, where a machine is there within a minute and nobody waits for a GPU. */
import { Duration, Size } from 'aws-cdk-lib';
import {
  EcsFargateContainerDefinition,
  EcsJobDefinition,
  FargateComputeEnvironment,
  JobQueue,
} from 'aws-cdk-lib/aws-batch';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { CpuArchitecture, FargatePlatformVersion, OperatingSystemFamily } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import type { QueueProps } from './gpuQueue.ts';
import { RETRY_RULES, RUNS, startLimits } from './jobDefinition.ts';
import { batchArn } from './names.ts';

const VCPUS = 4;
/** MiB. */
const MEMORY = 16_384;

export class CpuQueue extends Construct {
  readonly queueArn: string;
  readonly definitionArn: string;
  /** The job definition has the same name. */
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
