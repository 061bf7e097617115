import { CommandFailed, EXIT } from '../exit.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Path of an incident that is named by its number, with or without `#`, or by its id. Throws `CommandFailed` for anything else. */
export function incidentPath(text: string): string {
  const name = text.replace(/^#/, '');
  if (/^\d+$/.test(name) || ID.test(name)) return `/api/v1/incidents/${name}`;
  throw new CommandFailed(
    EXIT.usage,
    `expected the number of an incident such as \`12\`, or its id, found \`${text}\`; \`incidents list\` shows the numbers`,
  );
}
