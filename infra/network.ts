/**
 * NAT gateways would cost 33 dollars a month per zone, so tasks have public addresses without inbound access. Gateway
 * endpoints to S3 and DynamoDB are free. The load balancer's subnets have no internet route.
 */
import { Stack } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { byInterface } from './cdk.ts';
import { allowFlowLogs } from './storage.ts';

const FLOW_LOGS = 'vpc';

export class Network extends Construct {
  readonly vpc: IVpc;

  constructor(scope: Construct, id: string, props: { logs: IBucket }) {
    super(scope, id);
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.20.0.0/16'),
      availabilityZones: Stack.of(this).availabilityZones,
      natGateways: 0,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 20, mapPublicIpOnLaunch: true },
        { name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
      ],
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    const flowLog = vpc.addFlowLog('Rejected', {
      destination: FlowLogDestination.toS3(props.logs, FLOW_LOGS),
      trafficType: FlowLogTrafficType.REJECT,
    });
    allowFlowLogs(props.logs, flowLog, FLOW_LOGS);
    this.vpc = byInterface<IVpc>(vpc);
  }

  closedGroup(scope: Construct, id: string, description: string): SecurityGroup {
    const group = new SecurityGroup(scope, id, { vpc: this.vpc, description, allowAllOutbound: false });
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'AWS end points');
    return group;
  }
}
