import type { Config } from '@hephaisto/core/config/schema';
import type { Route } from '@hephaisto/core/delivery/route';

/** The configured routes as the incident log evaluates them. */
export function notifyRoutes(notify: Config['notify']): readonly Route[] {
  return notify.routes.map(({ to, ...route }) => ({ ...route, channel: 'webhook', recipient: to }));
}
