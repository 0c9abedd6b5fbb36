/** The container: built from gpu-job/Dockerfile at deployment, or an image that was built and pushed before. */
import { join } from 'node:path';
import { IgnoreMode } from 'aws-cdk-lib';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';

const ROOT = join(import.meta.dirname, '..');

/** What the Dockerfile copies; a change elsewhere makes no new image. */
const NEEDED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'adapters',
  'api',
  'domain',
  'gpu-job',
  'numerics',
  'server',
];

const ECR_IMAGE = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com\/([\w./-]+?)(?::([\w.-]+))?$/;

/** `base` is the image that the job's own layers are put on. */
export function containerImage(
  scope: Construct,
  id: string,
  props: { prebuilt: string | undefined; base: string },
): ContainerImage {
  if (props.prebuilt === undefined) return builtImage(scope, id, props.base);
  const [, account, region, repositoryName, tag] = ECR_IMAGE.exec(props.prebuilt) ?? [];
  if (!account || !region || !repositoryName) return ContainerImage.fromRegistry(props.prebuilt);
  const repositoryArn = `arn:aws:ecr:${region}:${account}:repository/${repositoryName}`;
  const repository = Repository.fromRepositoryAttributes(scope, id, { repositoryArn, repositoryName });
  return ContainerImage.fromEcrRepository(repository, tag ?? 'latest');
}

function builtImage(scope: Construct, id: string, base: string): ContainerImage {
  const asset = new DockerImageAsset(scope, id, {
    directory: ROOT,
    file: 'gpu-job/Dockerfile',
    buildArgs: { BASE_IMAGE: base },
    platform: Platform.LINUX_AMD64,
    exclude: ['*', ...NEEDED.map((name) => `!${name}`)],
    ignoreMode: IgnoreMode.DOCKER,
  });
  return ContainerImage.fromDockerImageAsset(asset);
}
