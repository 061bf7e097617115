import { renderAlerts } from '@hephaisto/core/evidence/tables/metrics';
import type { AlertingReader, SeenAlert } from '@hephaisto/core/ports/observability';
import { mapKubeRead } from '../../map-read.ts';
import { plainTool } from '../../tool.ts';
import { getAlertsArgs } from './schema.ts';

export function getAlerts(alerting: AlertingReader) {
  return plainTool<readonly SeenAlert[], { label?: string | undefined }>({
    name: 'get_alerts',
    description: 'Alerts that Alertmanager holds now, silenced ones too. To see what else is wrong at the same time.',
    schema: getAlertsArgs,
    wouldHaveTold: 'which other alerts fire at the same time',
    read: async ({ label }, signal) =>
      mapKubeRead(await alerting.alerts(signal), (alerts) => alerts.filter((alert) => bears(alert, label))),
    render: renderAlerts,
  });
}

function bears({ labels }: SeenAlert, label: string | undefined): boolean {
  if (label === undefined) return true;
  const at = label.indexOf('=');
  return at > 0 && labels[label.slice(0, at)] === label.slice(at + 1).replace(/^"|"$/g, '');
}
