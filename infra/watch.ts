/** How the operator sees the service: alarms, dashboard, budget. */
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { Budget } from './budget.ts';
import { ServiceDashboard } from './dashboard.ts';
import type { ServiceFunctions } from './functions.ts';
import { ownMetrics } from './metrics.ts';
import { stackName } from './names.ts';
import type { Settings } from './settings.ts';
import type { UploadService } from './uploadService.ts';

export interface WatchProps {
  settings: Settings;
  api: RestApi;
  table: Table;
  functions: ServiceFunctions['byName'];
  uploads: UploadService | undefined;
}

export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const { settings, api, functions } = props;
    const metric = ownMetrics(stackName(settings.stage));
    const alarms = new Alarms(this, 'Alarms', { ...props, metric });
    new ServiceDashboard(this, 'Dashboard', { settings, alarms, api, functions, metric });
    if (settings.budgetUsd > 0) new Budget(this, 'Budget', { settings, topic: alarms.topic });
  }
}
