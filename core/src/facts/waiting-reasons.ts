/** The kubelet's reasons of a waiting container, by what it waits for. */
export const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

export const CONFIG_REASONS: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

/** The container waits for its volumes, its network, its image, or for the init containers before it. */
export const PREPARING_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
