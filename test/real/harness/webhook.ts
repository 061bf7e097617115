/** The body of a webhook with one firing alert, as Alertmanager sends it. */
export function webhookBody(labels: Readonly<Record<string, string>>): string {
  const alert = {
    status: 'firing',
    labels: { severity: 'warning', ...labels },
    annotations: { summary: 'a test says so' },
    startsAt: new Date().toISOString(),
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example/graph',
  };
  return JSON.stringify({
    version: '4',
    groupKey: `{}:{alertname="${labels.alertname}"}`,
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'hephaisto',
    groupLabels: { alertname: labels.alertname },
    commonLabels: alert.labels,
    commonAnnotations: alert.annotations,
    externalURL: 'http://alertmanager.example',
    alerts: [alert],
  });
}
