import { join } from 'node:path';
import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleLambdas } from './bundle.ts';
import { ServiceStack } from './serviceStack.ts';
import { readSettings, SettingsError, stackName, unknownSettings } from './settings.ts';

const BUNDLES = join(import.meta.dirname, '..', '.cache', 'lambdas');

try {
  const app = new App();
  const settings = readSettings((name) => app.node.tryGetContext(name));
  await bundleLambdas(BUNDLES);
  const stack = new ServiceStack(app, stackName(settings.stage), { settings, folderOf: (name) => join(BUNDLES, name) });
  for (const name of unknownSettings(app.node.getAllContext())) {
    Annotations.of(stack).addWarningV2(`unknown-setting:${name}`, `The CDK context has ${name}, which is no setting.`);
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
