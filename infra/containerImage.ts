/** The container: built from gpu-job/Dockerfile at deployment, or an image that was built and pushed before. */
import { join } from 'node:path';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';

const ROOT = join(import.meta.dirname, '..');

const ECR_IMAGE = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com\/([\w./-]+?)(?::([\w.-]+))?$/;

export interface ImageProps {
  prebuilt: string | undefined;
  /** Arguments of the build, where there is one. */
  buildArgs: Record<string, string>;
}

/** An image, and the name that receipts give it. */
export interface NamedImage {
  image: ContainerImage;
  name: string;
}

export function containerImage(scope: Construct, id: string, { prebuilt, buildArgs }: ImageProps): NamedImage {
  if (prebuilt === undefined) return builtImage(scope, id, buildArgs);
  const [, account, region, repositoryName, tag] = ECR_IMAGE.exec(prebuilt) ?? [];
  if (!account || !region || !repositoryName) {
    return { image: ContainerImage.fromRegistry(prebuilt), name: prebuilt };
  }
  const repositoryArn = `arn:aws:ecr:${region}:${account}:repository/${repositoryName}`;
  const repository = Repository.fromRepositoryAttributes(scope, id, { repositoryArn, repositoryName });
  return { image: ContainerImage.fromEcrRepository(repository, tag ?? 'latest'), name: prebuilt };
}

/** What belongs to it, .dockerignore says. */
function builtImage(scope: Construct, id: string, buildArgs: Record<string, string>): NamedImage {
  const file = 'gpu-job/Dockerfile';
  const asset = new DockerImageAsset(scope, id, { directory: ROOT, file, buildArgs, platform: Platform.LINUX_AMD64 });
  return { image: ContainerImage.fromDockerImageAsset(asset), name: asset.imageUri };
}
