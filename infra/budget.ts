/** A warning before the month costs more than was meant. */
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { allowPublishing } from './allowPublishing.ts';
import { stackName } from './names.ts';
import type { Settings } from './settings.ts';

/** By the tag that every resource bears; it counts once it is activated as a cost allocation tag. */
export const COST_TAG = 'service';

const WARNINGS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

export class Budget extends Construct {
  constructor(scope: Construct, id: string, { settings, topic }: { settings: Settings; topic: Topic }) {
    super(scope, id);
    allowPublishing(topic, 'budgets.amazonaws.com');
    const budget = new CfnBudget(this, 'Monthly', {
      budget: {
        budgetName: stackName(settings.stage),
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: settings.budgetUsd, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:${COST_TAG}$${stackName(settings.stage)}`] },
      },
      notificationsWithSubscribers: WARNINGS.map((warning) => ({
        notification: { ...warning, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
      })),
    });
    budget.node.addDependency(topic);
  }
}
