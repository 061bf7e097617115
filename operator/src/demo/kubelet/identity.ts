import { createHash } from 'node:crypto';

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The id of one life of a container: the same for the same pod, container and attempt. */
export function containerId(podUid: string, container: string, attempt: number): string {
  return `containerd://${digest(`${podUid}/${container}/${attempt}`)}`;
}

/** An image reference with a digest, as a runtime reports it after a pull. */
export function imageId(image: string): string {
  const repository = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  return `${repository}@sha256:${digest(image)}`;
}

/** A believable compressed size in bytes, the same for the same image. */
export function imageBytes(image: string): number {
  return 20_000_000 + (Number.parseInt(digest(image).slice(0, 8), 16) % 180_000_000);
}
