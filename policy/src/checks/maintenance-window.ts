import { type Check, clear, unreadable, violated } from '../check.ts';

export const maintenanceWindow: Check = ({ maintenance }) => {
  if (!maintenance.known) return unreadable('the maintenance windows', maintenance.why);
  return maintenance.value === undefined
    ? clear('no maintenance window covers the namespace now')
    : violated('maintenance_window', `the maintenance window \`${maintenance.value}\` is open`, {
        window: maintenance.value,
      });
};
