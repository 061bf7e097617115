import { CopyButton } from '../parts/copy.tsx';

/** What to give Alertmanager when it has never called. */
export function AlertReceiver() {
  const text = receiver(location.origin);
  return (
    <details className="more" data-field="receiver">
      <summary>How Alertmanager is told to call</summary>
      <p className="soft small">
        Every call is refused with 401 until the configuration names a token in <code>server.alertmanager</code>; the
        file holds that token. The address is the one of this browser; inside the cluster it is the Service’s.
      </p>
      <code className="code">{text}</code>
      <div className="buttons">
        <CopyButton text={text} what="the receiver" label="Copy receiver" />
      </div>
    </details>
  );
}

function receiver(origin: string): string {
  return `receivers:
  - name: hephaisto
    webhook_configs:
      - url: ${origin}/webhooks/alertmanager
        send_resolved: true
        http_config:
          authorization:
            credentials_file: /etc/alertmanager/hephaisto-token
`;
}
