/** API Gateway cannot take 50 MB. */
import { Duration } from 'aws-cdk-lib';
import { Peer, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2';
import {
  Cluster,
  type ContainerImage,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDriver,
  OperatingSystemFamily,
  PropagatedTagSource,
} from 'aws-cdk-lib/aws-ecs';
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  type ApplicationTargetGroup,
  DesyncMitigationMode,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Policy, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ENV } from '../service/job/environment.ts';
import { acknowledge, acknowledgeStars, byInterface } from './cdk.ts';
import type { Network } from './network.ts';
import type { Settings } from './settings.ts';
import { allowBalancerLogs, removalPolicy } from './storage.ts';

/** The load balancer's connections carry many clients. */
const PRIVATE_NETWORKS = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16';
const PORT = 8080;
/** Two upload threads of up to 1 GB each. */
const CPU = 1024;
const MEMORY = 4096;
const MAX_TASKS = 4;
const LOG_PREFIX = 'alb';

interface UploadServiceProps {
  settings: Settings;
  network: Network;
  logs: IBucket;
  image: ContainerImage;
  environment: Record<string, string>;
  statements: readonly PolicyStatement[];
}

export class UploadService extends Construct {
  readonly balancer: ApplicationLoadBalancer;
  readonly targets: ApplicationTargetGroup;
  readonly service: FargateService;

  constructor(scope: Construct, id: string, props: UploadServiceProps) {
    super(scope, id);
    const balancerGroup = this.#balancerGroup(props);
    this.balancer = this.#balancer(props, balancerGroup);
    this.service = this.#service(props, balancerGroup);
    const listener = this.balancer.addListener('Http', { port: 80, protocol: ApplicationProtocol.HTTP, open: false });
    this.targets = listener.addTargets('Tasks', {
      port: PORT,
      protocol: ApplicationProtocol.HTTP,
      targets: [this.service],
      healthCheck: { path: '/', interval: Duration.seconds(30), timeout: Duration.seconds(10) },
      deregistrationDelay: Duration.seconds(120),
    });
    this.service
      .autoScaleTaskCount({ minCapacity: 1, maxCapacity: MAX_TASKS })
      .scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 60 });
  }

  #balancerGroup({ network, settings }: UploadServiceProps): SecurityGroup {
    const group = new SecurityGroup(this, 'BalancerGroup', {
      vpc: network.vpc,
      description: 'Load balancer of uploads: CloudFront comes in',
      allowAllOutbound: false,
    });
    const from = settings.cloudFrontPrefixList ? Peer.prefixList(settings.cloudFrontPrefixList) : Peer.anyIpv4();
    group.addIngressRule(from, Port.tcp(80), 'CloudFront, by its VPC origin');
    acknowledge(group, {
      EC23: 'The load balancer has no public address and its subnets have no route to the internet; cloudFrontPrefixList narrows it further.',
    });
    return group;
  }

  #balancer({ network, logs, settings }: UploadServiceProps, securityGroup: SecurityGroup): ApplicationLoadBalancer {
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      internetFacing: false,
      securityGroup,
      idleTimeout: Duration.seconds(180),
      dropInvalidHeaderFields: true,
      desyncMitigationMode: DesyncMitigationMode.STRICTEST,
      deletionProtection: settings.keepsData,
    });
    // `logAccessLogs` needs a region, which this template lacks.
    allowBalancerLogs(logs, balancer, LOG_PREFIX);
    balancer.setAttribute('access_logs.s3.enabled', 'true');
    balancer.setAttribute('access_logs.s3.bucket', logs.bucketName);
    balancer.setAttribute('access_logs.s3.prefix', LOG_PREFIX);
    return balancer;
  }

  #service(props: UploadServiceProps, balancerGroup: SecurityGroup): FargateService {
    const group = props.network.closedGroup(this, 'Group', 'Upload service: the load balancer comes in');
    group.addIngressRule(balancerGroup, Port.tcp(PORT), 'Load balancer');
    balancerGroup.addEgressRule(group, Port.tcp(PORT), 'Upload service');
    const cluster = new Cluster(this, 'Cluster', { vpc: props.network.vpc });
    acknowledge(cluster, {
      ECS4: 'The figures of service and load balancer are enough here; the insights cost more than the task.',
    });
    return new FargateService(this, 'Service', {
      cluster: byInterface<ICluster>(cluster),
      taskDefinition: this.#task(props),
      desiredCount: 1,
      minHealthyPercent: 100,
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [group],
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      propagateTags: PropagatedTagSource.SERVICE,
    });
  }

  #task(props: UploadServiceProps): FargateTaskDefinition {
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.settings.logRetentionDays,
      removalPolicy: removalPolicy(props.settings),
    });
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: CPU,
      memoryLimitMiB: MEMORY,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.X86_64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    task.addContainer('Server', {
      image: props.image,
      command: ['dist/server/main.js'],
      environment: {
        ...props.environment,
        [ENV.host]: '0.0.0.0',
        [ENV.port]: String(PORT),
        [ENV.trustedProxies]: PRIVATE_NETWORKS,
      },
      portMappings: [{ containerPort: PORT }],
      logging: LogDriver.awsLogs({ logGroup, streamPrefix: 'upload' }),
      readonlyRootFilesystem: true,
      stopTimeout: Duration.seconds(120),
    });
    const policy = new Policy(this, 'Policy', { roles: [task.taskRole], statements: [...props.statements] });
    acknowledgeStars(policy, policy.document);
    acknowledge(task, {
      ECS2: 'The environment names the table and the bucket; nothing in it is a secret.',
      'IAM5[Resource::*]': "ECR's GetAuthorizationToken knows no resource.",
    });
    return task;
  }
}
