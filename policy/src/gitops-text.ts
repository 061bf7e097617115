import type { GitOpsOwner } from './input.ts';

export function ownerText({ tool, name }: GitOpsOwner): string {
  return name === undefined ? tool : `${tool} ${name}`;
}

/** Where to make the change instead, as far as the objects show it. */
export function sourceText({ source }: GitOpsOwner): string {
  const { repository, revision, path } = source ?? {};
  const parts = [
    ...(repository === undefined ? [] : [`repository \`${repository}\``]),
    ...(revision === undefined ? [] : [`revision \`${revision}\``]),
    ...(path === undefined ? [] : [`path \`${path}\``]),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

export function unreadText({ selfHeal, unread }: GitOpsOwner): string {
  if (selfHeal !== 'unknown') return '';
  return `; whether its self-heal is on is not known${unread === undefined ? '' : `, because ${unread}`}`;
}
