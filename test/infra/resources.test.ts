/** Every type of resource has its rule here, which each resource of that type must keep. */
import { describe, expect, it } from 'vitest';
import { METRICS, RECORDS } from '../../adapters/aws/names.ts';
import { EXIT } from '../../service/job/failures.ts';
import { list, statementsOf } from './support/policies.ts';
import { at, flat, OTHERWISE, ofType, type Resource, synthesise, type Template } from './support/synthesise.ts';

type Rule = (resource: Resource, template: Template, id: string) => void;

const is =
  (...expected: [path: string, value: unknown][]): Rule =>
  ({ Properties }) => {
    for (const [path, value] of expected) expect([path, at(Properties, ...path.split('.'))]).toEqual([path, value]);
  };

/** It only ties others together. */
const ties =
  (...names: string[]): Rule =>
  ({ Properties }) =>
    expect(Object.keys(Properties)).toEqual(expect.arrayContaining(names));

const retained = ({ DeletionPolicy }: Resource, template: Template) =>
  expect(DeletionPolicy).toBe(isProd(template) ? 'Retain' : 'Delete');

const isProd = (template: Template): boolean =>
  ofType(template, 'AWS::ApiGateway::Stage').some(([, { Properties }]) => Properties.StageName === 'prod');

const RULES: Record<string, { title: string; rule: Rule }> = {
  'AWS::S3::Bucket': {
    title: 'is closed, encrypted, owned by the account alone, and expires what lies in it',
    rule: (resource, template) => {
      const blocked = ['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'];
      is(...blocked.map((name): [string, unknown] => [`PublicAccessBlockConfiguration.${name}`, true]))(
        resource,
        template,
        '',
      );
      is(
        ['BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault.SSEAlgorithm', 'AES256'],
        ['OwnershipControls.Rules.0.ObjectOwnership', 'BucketOwnerEnforced'],
        ['VersioningConfiguration', undefined],
      )(resource, template, '');
      const rules = list(at(resource.Properties, 'LifecycleConfiguration', 'Rules'));
      expect(rules.some((rule) => Number(at(rule, 'ExpirationInDays')) > 0)).toBe(true);
      retained(resource, template);
    },
  },
  'AWS::S3::BucketPolicy': {
    title: 'refuses whatever comes without TLS 1.2, and takes logs from the services that write them, of this account',
    rule: ({ Properties }, template, id) => {
      const writers = statementsOf(Properties.PolicyDocument).filter(
        (statement) => at(statement, 'Effect') === 'Allow',
      );
      const names = ['logging.s3', 'delivery.logs', 'delivery.logs', 'logdelivery.elasticloadbalancing'];
      const services = names.slice(0, isProd(template) ? 3 : 4).map((name) => `${name}.amazonaws.com`);
      expect(writers.map((statement) => at(statement, 'Principal', 'Service'))).toEqual(
        /Logs/.test(id) ? services : [],
      );
      for (const statement of writers) {
        const condition = at(statement, 'Condition', 'StringEquals', 'aws:SourceAccount');
        const ofAccount =
          flat(condition) === '<AWS::AccountId>' ||
          /\/AWSLogs\/<AWS::AccountId>\/\*$/.test(flat(at(statement, 'Resource')));
        expect(ofAccount).toBe(true);
        expect(['s3:PutObject', 's3:GetBucketAcl']).toContain(at(statement, 'Action'));
      }
      const denied = statementsOf(Properties.PolicyDocument).filter((statement) => at(statement, 'Effect') === 'Deny');
      expect(denied.map((statement) => at(statement, 'Condition'))).toEqual([
        { Bool: { 'aws:SecureTransport': 'false' } },
        { NumericLessThan: { 's3:TlsVersion': 1.2 } },
      ]);
      for (const statement of denied) expect(at(statement, 'Principal')).toEqual({ AWS: '*' });
    },
  },
  'AWS::DynamoDB::Table': {
    title: 'is paid by use, can be restored to any point in time, and has the keys and the index of the records',
    rule: (resource, template) => {
      is(
        ['BillingMode', 'PAY_PER_REQUEST'],
        ['PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled', true],
        ['DeletionProtectionEnabled', isProd(template)],
        ['KeySchema', [{ AttributeName: RECORDS.partitionKey, KeyType: 'HASH' }]],
        ['GlobalSecondaryIndexes.0.IndexName', RECORDS.phaseIndex],
        ['GlobalSecondaryIndexes.0.Projection.ProjectionType', 'KEYS_ONLY'],
        ['GlobalSecondaryIndexes.1.IndexName', RECORDS.ownerIndex],
        ['GlobalSecondaryIndexes.1.Projection.ProjectionType', 'KEYS_ONLY'],
      )(resource, template, '');
      retained(resource, template);
    },
  },
  'AWS::Logs::LogGroup': {
    title: 'forgets after the days that were set',
    rule: (resource, template) => {
      is(['RetentionInDays', 30])(resource, template, '');
      retained(resource, template);
    },
  },
  'AWS::Lambda::Function': {
    title:
      'runs on Node 24 with a role and a log of its own, in time for API Gateway unless it streams or runs by the clock',
    rule: ({ Properties }) => {
      const name = /^\w+/.exec(String(Properties.Description))?.[0] ?? '';
      const handler = ['download', 'events', 'mcp'].includes(name) ? 'index.streaming' : 'index.handler';
      expect([Properties.Runtime, Properties.Architectures, Properties.Handler]).toEqual([
        'nodejs24.x',
        ['arm64'],
        handler,
      ]);
      expect(flat(Properties.Role)).toMatch(new RegExp(`^<Functions${name}Role`));
      expect(flat(at(Properties, 'LoggingConfig', 'LogGroup'))).toMatch(new RegExp(`^<Functions${name}Log`));
      const limit = { download: 900, events: 900, mcp: 900, expire: 900, reconcile: 55 }[name] ?? 29;
      expect(Properties.Timeout).toBe(limit);
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
    },
  },
  'AWS::Lambda::Permission': { title: 'names who may invoke, and from where', rule: ties('Principal', 'SourceArn') },
  'AWS::IAM::Role': {
    title: "has no policy of its own but AWS's two, which are acknowledged",
    rule: ({ Properties }) => {
      expect(Properties.Policies).toBeUndefined();
      const managed = list(Properties.ManagedPolicyArns).map((arn) => flat(arn).split('/').at(-1));
      expect(['', 'AmazonAPIGatewayPushToCloudWatchLogs', 'AmazonEC2ContainerServiceforEC2Role']).toContain(
        managed.join(),
      );
    },
  },
  'AWS::IAM::Policy': {
    title: 'belongs to one role',
    rule: ({ Properties }) => expect(list(Properties.Roles).length).toBe(1),
  },
  'AWS::IAM::InstanceProfile': { title: 'has one role', rule: ties('Roles') },
  'AWS::EC2::VPC': {
    title: 'has names for its hosts',
    rule: is(['EnableDnsSupport', true], ['EnableDnsHostnames', true]),
  },
  'AWS::EC2::Subnet': { title: 'lies in the network', rule: ties('VpcId', 'AvailabilityZone', 'CidrBlock') },
  'AWS::EC2::RouteTable': { title: 'lies in the network', rule: ties('VpcId') },
  'AWS::EC2::SubnetRouteTableAssociation': {
    title: 'ties a subnet to its table',
    rule: ties('SubnetId', 'RouteTableId'),
  },
  'AWS::EC2::Route': {
    title: 'leads to the internet, from public subnets alone, and never by a NAT gateway',
    rule: ({ Properties }) => {
      expect(flat(Properties.RouteTableId)).toMatch(/public/);
      expect(flat(Properties.GatewayId)).toMatch(/IGW/);
      expect(Properties.NatGatewayId).toBeUndefined();
    },
  },
  'AWS::EC2::InternetGateway': { title: 'is there', rule: () => undefined },
  'AWS::EC2::VPCGatewayAttachment': {
    title: 'ties the gateway to the network',
    rule: ties('InternetGatewayId', 'VpcId'),
  },
  'AWS::EC2::VPCEndpoint': {
    title: 'costs nothing',
    rule: ({ Properties }) => {
      expect(Properties.VpcEndpointType).toBe('Gateway');
      expect(flat(Properties.ServiceName)).toMatch(/\.(s3|dynamodb)$/);
    },
  },
  'AWS::EC2::FlowLog': {
    title: 'keeps what was rejected, in the bucket of logs',
    rule: is(['TrafficType', 'REJECT'], ['LogDestinationType', 's3']),
  },
  'AWS::EC2::SecurityGroup': {
    title: 'lets nothing in but CloudFront, to the load balancer, and nothing out but HTTPS',
    rule: ({ Properties }, _, id) => {
      const into = list(Properties.SecurityGroupIngress).map((rule) => `${at(rule, 'CidrIp')} ${at(rule, 'FromPort')}`);
      expect(into).toEqual(id.startsWith('UploadServiceBalancerGroup') ? ['0.0.0.0/0 80'] : []);
      for (const rule of list(Properties.SecurityGroupEgress)) {
        const nowhere = at(rule, 'CidrIp') === '255.255.255.255/32';
        expect(nowhere || at(rule, 'ToPort') === 443).toBe(true);
      }
    },
  },
  'AWS::EC2::SecurityGroupIngress': {
    title: 'is for the load balancer, to the tasks',
    rule: ({ Properties }) => {
      expect(flat(Properties.SourceSecurityGroupId)).toMatch(/BalancerGroup/);
      expect([Properties.FromPort, Properties.ToPort]).toEqual([8080, 8080]);
    },
  },
  'AWS::EC2::SecurityGroupEgress': {
    title: 'is for the load balancer, to the tasks',
    rule: ({ Properties }) => expect(flat(Properties.GroupId)).toMatch(/BalancerGroup/),
  },
  'AWS::EC2::LaunchTemplate': {
    title: 'asks for IMDSv2 from the machine alone, and encrypts the disk',
    rule: is(
      ['LaunchTemplateData.MetadataOptions.HttpTokens', 'required'],
      ['LaunchTemplateData.MetadataOptions.HttpPutResponseHopLimit', 1],
      ['LaunchTemplateData.BlockDeviceMappings.0.Ebs.Encrypted', true],
    ),
  },
  'AWS::Batch::ComputeEnvironment': {
    title: 'is nothing at rest, and no more than was set',
    rule: ({ Properties }, template) => {
      const resources = Properties.ComputeResources;
      const type = String(at(resources, 'Type'));
      const prod = isProd(template);
      if (type.startsWith('FARGATE')) {
        expect([type, at(resources, 'MaxvCpus')]).toEqual(prod ? ['FARGATE_SPOT', 120] : ['FARGATE', 12]);
        return;
      }
      expect([type, at(resources, 'MaxvCpus')]).toEqual(prod ? ['SPOT', 20] : ['EC2', 12]);
      expect(at(resources, 'MinvCpus')).toBe(0);
      expect(at(resources, 'InstanceTypes')).toEqual(['g6.xlarge', 'g5.xlarge', 'g4dn.xlarge']);
      expect(at(resources, 'Ec2Configuration')).toEqual([{ ImageType: 'ECS_AL2023_NVIDIA' }]);
    },
  },
  'AWS::Batch::JobQueue': {
    title: 'ends what waits too long for a machine',
    rule: ({ Properties }) => {
      const limits = list(Properties.JobStateTimeLimitActions).map((limit) =>
        ['Action', 'State', 'MaxTimeSeconds', 'Reason'].map((name) => at(limit, name)).join(' '),
      );
      expect(limits).toEqual([
        'CANCEL RUNNABLE 3600 CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY',
        'CANCEL RUNNABLE 3600 MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE',
        'CANCEL RUNNABLE 3600 MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT',
      ]);
    },
  },
  'AWS::Batch::JobDefinition': {
    title:
      'has a time limit, a read-only root, tags on what it costs, and is run again only where its machine was taken away',
    rule: (resource, template) => {
      is(
        ['Timeout.AttemptDurationSeconds', 7200],
        ['ContainerProperties.ReadonlyRootFilesystem', true],
        ['ContainerProperties.Privileged', undefined],
        ['PropagateTags', true],
        ['RetryStrategy.Attempts', 4],
      )(resource, template, '');
      const rules = list(at(resource.Properties, 'RetryStrategy', 'EvaluateOnExit'));
      expect(outcome(rules, { exitCode: EXIT.handedBack })).toBe('RETRY');
      expect(outcome(rules, { statusReason: 'Host EC2 (instance i-0abc) terminated.' })).toBe('RETRY');
      expect(outcome(rules, { statusReason: 'Your Spot Task was interrupted.', exitCode: 137 })).toBe('RETRY');
      for (const exitCode of Object.values(EXIT)) {
        if (exitCode !== EXIT.handedBack) expect(outcome(rules, { exitCode })).toBe('EXIT');
      }
      expect(outcome(rules, { exitCode: 137, reason: 'OutOfMemoryError: Container killed' })).toBe('EXIT');
      expect(outcome(rules, { reason: 'CannotPullContainerError: not found' })).toBe('EXIT');
    },
  },
  'AWS::ApiGateway::RestApi': { title: 'is regional', rule: is(['EndpointConfiguration.Types', ['REGIONAL']]) },
  'AWS::ApiGateway::Account': { title: 'lets API Gateway write its logs', rule: ties('CloudWatchRoleArn') },
  'AWS::ApiGateway::Deployment': { title: 'is of the API', rule: ties('RestApiId') },
  'AWS::ApiGateway::Stage': {
    title: 'keeps a log of requests, and no figures that cost by the method',
    rule: (resource, template) => {
      is(['MethodSettings.0.MetricsEnabled', false])(resource, template, '');
      ties('AccessLogSetting')(resource, template, '');
    },
  },
  'AWS::ApiGateway::Resource': { title: 'is a part of an address', rule: ties('PathPart', 'ParentId') },
  'AWS::ApiGateway::Method': {
    title: 'is a proxy to a function, whose application checks the key',
    rule: is(['Integration.Type', 'AWS_PROXY'], ['AuthorizationType', 'NONE'], ['HttpMethod', 'ANY']),
  },
  'AWS::ApiGateway::GatewayResponse': {
    title: 'is in the envelope (see api.test.ts)',
    rule: ties('ResponseTemplates'),
  },
  'AWS::ElasticLoadBalancingV2::LoadBalancer': {
    title: 'has no public address, logs what it passes on, and refuses malformed requests',
    rule: (resource, template) => {
      is(['Scheme', 'internal'])(resource, template, '');
      expect(flat(at(resource.Properties, 'Subnets', 0))).toMatch(/isolated/);
      const attributes = new Map(
        list(resource.Properties.LoadBalancerAttributes).map((pair) => [at(pair, 'Key'), at(pair, 'Value')]),
      );
      expect(attributes.get('access_logs.s3.enabled')).toBe('true');
      expect(attributes.get('routing.http.drop_invalid_header_fields.enabled')).toBe('true');
      expect(attributes.get('routing.http.desync_mitigation_mode')).toBe('strictest');
    },
  },
  'AWS::ElasticLoadBalancingV2::Listener': { title: 'listens inside the network', rule: is(['Port', 80]) },
  'AWS::ElasticLoadBalancingV2::TargetGroup': {
    title: 'asks for a page that needs no key',
    rule: is(['HealthCheckPath', '/'], ['Port', 8080], ['TargetType', 'ip']),
  },
  'AWS::ECS::Cluster': { title: 'is there', rule: () => undefined },
  'AWS::ECS::TaskDefinition': {
    title: 'has a read-only root and a log, and runs the server of all routes',
    rule: is(
      ['ContainerDefinitions.0.ReadonlyRootFilesystem', true],
      ['ContainerDefinitions.0.Command', ['dist/server/main.js']],
      ['ContainerDefinitions.0.LogConfiguration.LogDriver', 'awslogs'],
      ['ContainerDefinitions.0.Privileged', undefined],
    ),
  },
  'AWS::ECS::Service': {
    title: 'goes back to what ran where a deployment does not come up',
    rule: is(
      ['DeploymentConfiguration.DeploymentCircuitBreaker', { Enable: true, Rollback: true }],
      ['DesiredCount', 1],
    ),
  },
  'AWS::ApplicationAutoScaling::ScalableTarget': {
    title: 'has bounds',
    rule: is(['MinCapacity', 1], ['MaxCapacity', 4]),
  },
  'AWS::ApplicationAutoScaling::ScalingPolicy': {
    title: 'follows a target',
    rule: is(['PolicyType', 'TargetTrackingScaling']),
  },
  'AWS::CloudFront::VpcOrigin': { title: 'is the load balancer', rule: ties('VpcOriginEndpointConfig') },
  'AWS::CloudFront::Distribution': { title: 'is there (see baseUrl.test.ts)', rule: ties('DistributionConfig') },
  'AWS::Events::Rule': { title: 'is on, with a target (see watch.test.ts)', rule: is(['State', 'ENABLED']) },
  'AWS::SNS::Topic': { title: 'is there', rule: ties('DisplayName') },
  'AWS::SNS::TopicPolicy': {
    title: 'refuses whatever comes without TLS, and takes what alarms and budgets of this account say',
    rule: ({ Properties }, template) => {
      const [first, ...allowed] = statementsOf(Properties.PolicyDocument);
      const services = isProd(template) ? ['cloudwatch'] : ['cloudwatch', 'budgets'];
      expect(allowed.flatMap((statement) => list(at(statement, 'Principal', 'Service'))).sort()).toEqual(
        services.map((name) => `${name}.amazonaws.com`).sort(),
      );
      for (const statement of allowed) {
        expect(at(statement, 'Condition')).toEqual({
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        });
      }
      expect([at(first, 'Effect'), at(first, 'Condition')]).toEqual([
        'Deny',
        { Bool: { 'aws:SecureTransport': 'false' } },
      ]);
    },
  },
  'AWS::SNS::Subscription': { title: "is the operator's address", rule: is(['Protocol', 'email']) },
  'AWS::CloudWatch::Alarm': {
    title: 'says what is wrong, and tells the topic of it and of its end',
    rule: ({ Properties }) => {
      expect(String(Properties.AlarmDescription).length).toBeGreaterThan(15);
      for (const actions of [Properties.AlarmActions, Properties.OKActions]) {
        expect(list(actions).map(flat)).toEqual([expect.stringMatching(/^<WatchAlarmsTopic/)]);
      }
    },
  },
  'AWS::CloudWatch::Dashboard': {
    title: "shows every one of the service's figures",
    rule: ({ Properties }) => {
      const body = flat(Properties.DashboardBody);
      expect(Object.values(METRICS).filter((name) => !body.includes(`"${name}"`))).toEqual([]);
    },
  },
  'AWS::Budgets::Budget': {
    title: 'counts what bears the tag of the stack, and warns twice',
    rule: ({ Properties }) => {
      expect(at(Properties, 'Budget', 'BudgetLimit')).toEqual({ Amount: 200, Unit: 'USD' });
      expect(at(Properties, 'Budget', 'CostFilters')).toEqual({ TagKeyValue: ['user:service$synthetic-tables-dev'] });
      expect(list(Properties.NotificationsWithSubscribers).length).toBe(2);
    },
  },
};

interface Ending {
  exitCode?: number;
  reason?: string;
  statusReason?: string;
}

/** As Batch evaluates: the first rule of which every pattern matches. */
function outcome(rules: readonly unknown[], ending: Ending): unknown {
  const matches = (pattern: unknown, text: string | undefined) =>
    pattern === undefined ||
    (text !== undefined && new RegExp(`^${String(pattern).replaceAll('*', '.*')}$`).test(text));
  const applies = (rule: unknown) =>
    matches(at(rule, 'OnExitCode'), ending.exitCode?.toString()) &&
    matches(at(rule, 'OnReason'), ending.reason ?? '') &&
    matches(at(rule, 'OnStatusReason'), ending.statusReason ?? 'Essential container in task exited');
  return at(rules.find(applies), 'Action');
}

const variants: [string, Template][] = [
  ['standard', synthesise().template],
  ['otherwise', synthesise(OTHERWISE).template],
];

describe('resources', () => {
  it('have a rule for each type, and a type for each rule', () => {
    const types = new Set(variants.flatMap(([, { Resources }]) => Object.values(Resources).map(({ Type }) => Type)));
    expect([...types].sort()).toEqual(Object.keys(RULES).sort());
  });

  it.each(Object.entries(RULES).map(([type, { title, rule }]) => [type, title, rule] as const))(
    '%s %s',
    (type, _, rule) => {
      for (const [, template] of variants) {
        for (const [id, resource] of ofType(template, type)) rule(resource, template, id);
      }
    },
  );

  it('bear the tags by which costs are told apart', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Lambda::Function']) {
      for (const [, { Properties }] of ofType(synthesise().template, type)) {
        expect(Properties.Tags).toEqual([
          { Key: 'service', Value: 'synthetic-tables-dev' },
          { Key: 'stage', Value: 'dev' },
        ]);
      }
    }
  });
});
