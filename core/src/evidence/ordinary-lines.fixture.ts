/** Lines as healthy and failing software writes them, made from templates in a fixed order: the same lines in every run. */
export function ordinaryLines(count: number): readonly string[] {
  const random = createRandom(0x5eed);
  return Array.from({ length: count }, (_, index) => fill(TEMPLATES[index % TEMPLATES.length] ?? '', random));
}

type Random = (below: number) => number;

function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  ns: ['shop', 'payments', 'kube-system', 'monitoring', 'team-a', 'ingress-nginx', 'argocd', 'default'],
  app: [
    'checkout',
    'orders-api',
    'webhook-relay',
    'inventory',
    'auth-service',
    'token-issuer',
    'session-store',
    'key-rotator',
    'search',
  ],
  user: ['alice', 'app', 'postgres', 'reporting', 'www-data', 'admin', 'root', 'svc_orders'],
  host: [
    'orders-db.shop.svc.cluster.local',
    'db-0.db',
    'cache',
    '10.0.3.17',
    'api.example.com',
    'mq.internal',
    'ip-10-0-1-2.ec2.internal',
  ],
  path: [
    '/healthz',
    '/api/v1/orders/1234',
    '/login',
    '/oauth/token',
    '/v1/secrets/list',
    '/static/app.js',
    '/password/reset',
    '/metrics',
  ],
  resource: ['pods', 'secrets', 'deployments', 'configmaps', 'leases', 'tokenreviews', 'nodes', 'endpoints'],
  verb: ['get', 'list', 'watch', 'create', 'delete', 'patch', 'update'],
  level: ['INFO', 'WARN', 'ERROR', 'DEBUG'],
  sa: ['default', 'deployer', 'argocd-application-controller', 'prometheus', 'cert-manager', 'hephaisto'],
  pid: ['1', '17', '4711', '23', '990'],
};

function fill(template: string, random: Random): string {
  return template.replace(/\{([a-z]{1,16})\}/g, (_whole, name: string) => value(name, random));
}

function value(name: string, random: Random): string {
  const words = WORDS[name];
  if (words !== undefined) return words[random(words.length)] ?? '';
  const hex = (length: number) => Array.from({ length }, () => '0123456789abcdef'[random(16)]).join('');
  switch (name) {
    case 'n':
      return String(random(10_000));
    case 'ms':
      return `${random(900) + 1}ms`;
    case 'hex':
      return hex(16);
    case 'sha':
      return hex(64);
    case 'uuid':
      return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
    case 'ip':
      return `10.${random(256)}.${random(256)}.${random(256)}`;
    case 'rs':
      return hex(10);
    case 'pod':
      return Array.from({ length: 5 }, () => 'bcdfghjklmnpqrstvwxz2456789'[random(27)]).join('');
    case 'time':
      return `2026-0${1 + random(9)}-1${random(10)}T1${random(10)}:2${random(10)}:3${random(10)}.${100 + random(900)}Z`;
    default:
      throw new Error(`expected a known placeholder, found \`${name}\``);
  }
}

const KUBERNETES = [
  'pods is forbidden: User "system:serviceaccount:{ns}:{sa}" cannot {verb} resource "{resource}" in API group "" in the namespace "{ns}"',
  'E0102 15:04:05.000000       1 reflector.go:166] "Unhandled Error" err="failed to list *v1.Secret: secrets is forbidden: User \\"system:serviceaccount:{ns}:{sa}\\" cannot list resource \\"secrets\\""',
  'RBAC: clusterrole.rbac.authorization.k8s.io "system:{sa}" not found',
  'User "system:node:{host}" cannot get resource "{resource}"',
  'User "system:anonymous" cannot {verb} path "{path}"',
  'impersonating system:serviceaccount:{ns}:{sa} groups=[system:serviceaccounts system:authenticated]',
  'I0102 15:04:05.000000       1 event.go:377] Event(v1.ObjectReference{Kind:"Pod", Namespace:"{ns}", Name:"{app}-{rs}-{pod}"}): type: "Normal" reason: "Scheduled"',
  'Successfully assigned {ns}/{app}-{rs}-{pod} to {host}',
  'Back-off restarting failed container {app} in pod {app}-{rs}-{pod}_{ns}({uuid})',
  'Scaled down replica set {app}-{rs} from {n} to 0',
  'Scaled up replica set {app}-{rs} from 0 to {n}',
  'Deleted pod: {app}-{rs}-{pod}',
  'Deleting node {host} because it does not exist in the cloud provider',
  "Error: couldn't find key signing-key in Secret {ns}/{app}-keys",
  'MountVolume.SetUp failed for volume "tls-secret" : secret "{app}-tls" not found',
  'MountVolume.SetUp failed for volume "kube-api-access-{pod}" : failed to fetch token: serviceaccounts "{sa}" not found',
  'Failed to pull image "r.example/{app}:{n}": rpc error: code = Unauthorized desc = failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized',
  'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.',
  'Readiness probe failed: Get "http://{ip}:8080{path}": dial tcp {ip}:8080: connect: connection refused',
  '0/{n} nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, {n} Insufficient memory. preemption: 0/4 nodes are available',
  'W0102 15:04:05.000000       1 logging.go:55] [core] [Channel #{n}] grpc: addrConn.createTransport failed to connect to {Addr: "{ip}:2379"}',
  'leaderelection.go:271] successfully acquired lease {ns}/{app}',
  'Updated LoadBalancer with new IPs: [] -> [{ip}]',
  'secret: {app}-credentials',
  'secretName: {app}-tls',
  'Created token for service account {ns}/{sa} with expirationSeconds: {n}',
  'TokenReview: token expired for user system:serviceaccount:{ns}:{sa}',
  'Certificate will expire in {n} days, secretName={app}-tls, issuer=letsencrypt',
  'Set "metadata.ownerReferences" key: {app} kind: ReplicaSet uid: {uuid}',
  'image digest sha256:{sha} pulled in {ms}',
  'updating status for key {ns}/{app}',
  'Reconciling key="{ns}/{app}" generation={n}',
  'error syncing \'{ns}/{app}\': Operation cannot be fulfilled on deployments.apps "{app}": the object has been modified; please apply your changes to the latest version and try again',
  'Tag "latest" of {app}: do not use floating tags in production',
  'Stopping container {app}',
  'Pod was evicted: The node was low on resource: memory. Container {app} was using {n}Ki, request is 0',
  'node "{host}" drained: {n} pods evicted',
  'Operator "{app}" has been deployed in version 1.{n}',
  'operator: reconciled {ns}/{app} in {ms}',
];

const DATABASES = [
  '{time} UTC [{pid}] LOG:  database system is ready to accept connections',
  '{time} UTC [{pid}] FATAL:  password authentication failed for user "{user}"',
  '{time} UTC [{pid}] DETAIL:  Connection matched file "/var/lib/postgresql/data/pg_hba.conf" line {n}: "host all all all scram-sha-256"',
  '{time} UTC [{pid}] ERROR:  duplicate key value violates unique constraint "orders_pkey"',
  '{time} UTC [{pid}] DETAIL:  Key (id)=({n}) already exists.',
  '{time} UTC [{pid}] ERROR:  insert or update on table "tokens" violates foreign key constraint "tokens_user_id_fkey"',
  '{time} UTC [{pid}] STATEMENT:  DELETE FROM sessions WHERE expires_at < now()',
  '{time} UTC [{pid}] STATEMENT:  SELECT id, password_hash FROM users WHERE token_id = $1',
  '{time} UTC [{pid}] LOG:  checkpoint complete: wrote {n} buffers (0.1%); 0 WAL file(s) added, 0 removed, 1 recycled; write={n}.1 s',
  '{time} UTC [{pid}] HINT:  Use DROP ... CASCADE to drop the dependent objects too.',
  '{time} UTC [{pid}] LOG:  could not receive data from client: Connection reset by peer',
  "{time} {n} [ERROR] [MY-010584] [Repl] Replica SQL for channel '': Could not execute Write_rows event on table shop.orders",
  "{time} {n} [Warning] Access denied for user '{user}'@'{ip}' (using password: YES)",
  "{time} {n} [Note] Aborted connection {n} to db: 'shop' user: '{user}' host: '{ip}' (Got timeout reading communication packets)",
  '{pid}:M 02 Jan 2026 15:04:05.000 * Background saving started by pid {n}',
  '{pid}:M 02 Jan 2026 15:04:05.000 # WARNING: The TCP backlog setting of 511 cannot be enforced',
  'NOAUTH Authentication required.',
  'WRONGPASS invalid username-password pair or user is disabled.',
  '{"t":{"$date":"{time}"},"s":"I","c":"ACCESS","id":{n},"ctx":"conn{n}","msg":"Authentication failed","attr":{"mechanism":"SCRAM-SHA-256","user":"{user}","remote":"{ip}:{n}"}}',
  '{"t":{"$date":"{time}"},"s":"I","c":"NETWORK","msg":"Connection ended","attr":{"connectionId":{n}}}',
  'Cluster session {n} key range [{hex}, {hex}) moved to {host}',
  'zookeeper: Established session 0x{hex} with negotiated timeout {n} for client /{ip}:{n}',
  'kafka: [SocketServer brokerId={n}] Failed authentication with /{ip} (SSL handshake failed)',
  'kafka: partition key={app}-{n} offset={n} topic=orders',
  'etcdserver: read-only range request "key:\\"/registry/pods/{ns}/{app}\\" " with result "range_response_count:1 size:{n}" took too long ({ms}) to execute',
  "rabbit: closing AMQP connection <0.{n}.0> ({ip}:{n} -> {ip}:5672, vhost: '/', user: '{user}')",
  'elastic: [{app}] high disk watermark [90%] exceeded on [{hex}][{app}] free: {n}mb, shards will be relocated away from this node',
];

const WEB_SERVERS = [
  '{ip} - {user} [02/Jan/2026:15:04:05 +0000] "GET {path}?page={n} HTTP/1.1" 200 {n} "-" "Mozilla/5.0 (X11; Linux x86_64)"',
  '{ip} - - [02/Jan/2026:15:04:05 +0000] "POST {path} HTTP/2.0" 401 {n} "https://{host}/login" "curl/8.5.0"',
  '{ip} - - [02/Jan/2026:15:04:05 +0000] "DELETE /api/v1/namespaces/{ns}/pods/{app} HTTP/1.1" 204 0 "-" "kubectl/v1.30"',
  '2026/01/02 15:04:05 [error] {pid}#{pid}: *{n} connect() failed (111: Connection refused) while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "http://{ip}:8080{path}"',
  '2026/01/02 15:04:05 [warn] {pid}#{pid}: *{n} a client request body is buffered to a temporary file /var/cache/nginx/client_temp/{n}',
  '[{time}] "GET {path} HTTP/1.1" 503 UF,URX "-" "-" 0 91 {n} - "-" "Go-http-client/2.0" "{uuid}" "{host}" "{ip}:8080" outbound|8080||{app}.{ns}.svc.cluster.local',
  '{"level":"info","ts":"{time}","logger":"http.log.access","msg":"handled request","request":{"remote_ip":"{ip}","method":"GET","uri":"{path}"},"status":200,"duration":0.{n}}',
  'time="{time}" level=info msg="request completed" method=GET path={path} status=200 duration={ms} trace_id={hex}{hex}',
  'level=warn ts={time} caller=auth.go:{n} msg="token expired" user={user} token_type=access remaining={n}',
  'level=error ts={time} caller=login.go:{n} msg="invalid password" user={user} attempts={n}',
  '[{time}] [core:error] [pid {pid}] AH00126: Invalid URI in request GET / HTTP/1.1',
  'AH01797: client denied by server configuration: /var/www/html/.htpasswd',
  'haproxy[{pid}]: {ip}:{n} [02/Jan/2026:15:04:05.000] fe~ be/{app} 0/0/1/{n}/{n} 200 {n} - - ---- 1/1/0/0/0 0/0 "GET {path} HTTP/1.1"',
  'session opened for user {user}(uid=0) by (uid=0)',
  'Accepted publickey for {user} from {ip} port {n} ssh2: ED25519 SHA256:uQ{hex}',
  'sshd[{pid}]: Failed password for {user} from {ip} port {n} ssh2',
  'sshd[{pid}]: pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost={ip}  user={user}',
  'cache: HIT key: {app}:{n}:page age={n} ttl={n}',
  'cookie: domain mismatch for {host}',
  'CSRF token missing or incorrect.',
  'X-Request-Id: {uuid}',
  'Traefik: middleware auth@kubernetescrd returned status 401',
];

const RUNTIMES = [
  "java.sql.SQLException: Access denied for user '{user}'@'{ip}' (using password: NO)",
  '\tat org.springframework.security.authentication.dao.DaoAuthenticationProvider.additionalAuthenticationChecks(DaoAuthenticationProvider.java:{n})',
  '\tat com.example.{user}.TokenService.lambda$refresh$0(TokenService.java:{n}) ~[app.jar:1.0]',
  'Caused by: javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find valid certification path to requested target',
  '{time} {level} {pid} --- [main] o.s.s.w.DefaultSecurityFilterChain : Will secure any request with filters: DisableEncodeUrlFilter, WebAsyncManagerIntegrationFilter',
  '{time} {level} Using generated security password policy: strict',
  'Traceback (most recent call last):',
  '  File "/usr/lib/python3.12/site-packages/{user}/auth/tokens.py", line {n}, in refresh_token',
  "KeyError: 'api_key'",
  'keyring.errors.NoKeyringError: No recommended backend was available.',
  "TypeError: Cannot read properties of undefined (reading 'token')",
  '    at validatePassword (/app/src/auth/password.js:{n}:17)',
  'UnhandledPromiseRejectionWarning: Error: connect ECONNREFUSED {ip}:5432',
  'panic: runtime error: invalid memory address or nil pointer dereference',
  'goroutine {n} [running]:',
  '\t/go/src/{user}/internal/secrets/loader.go:{n} +0x{hex}',
  'thread \'main\' panicked at src/main.rs:{n}:10: called `Result::unwrap()` on an `Err` value: MissingKey("{app}")',
  'Unhandled exception. System.InvalidOperationException: No authenticationScheme was specified, and there was no DefaultChallengeScheme found.',
  'PHP Fatal error:  Uncaught Error: Call to undefined function openssl_encrypt() in /var/www/html/index.php:{n}',
  "ActionController::InvalidAuthenticityToken (Can't verify CSRF token authenticity.):",
  'Parameters: {"utf8"=>"✓", "authenticity_token"=>"[FILTERED]", "user"=>{"email"=>"{user}@example.com", "password"=>"[FILTERED]"}}',
  'SyntaxError: Unexpected token < in JSON at position {n}',
  'JWT expired at {time}. Current time: {time}, a difference of {n} milliseconds.',
  'prompt tokens: {n} completion tokens: {n} total_tokens={n}',
  'model {app} loaded, max_tokens={n}, the model must be warmed up before the first request',
  'agent {app} connected, agents: {n}',
  'Datadog agent is not running; agent: tags are empty',
  'OpenTelemetry agent version 1.{n} is to be used with Java 17',
  'You are using pip version {n}; however, version {n} is available.',
  'npm warn deprecated {app}@{n}: this package is no longer supported',
  'user agent "Go-http-client/1.1" is to be ignored',
  'environment: PASSWORD_FILE=/run/secrets/db-password TOKEN_PATH=/var/run/secrets/kubernetes.io/serviceaccount/token',
  'loaded config from /etc/{app}/config.yaml, secretRef={app}, keys: {n}',
  'rotating key ring, active key id: {n}, previous key id: {n}',
  'password: must be at least {n} characters',
  'password policy: minimum length {n}, history {n}',
  'password=**** user={user}',
  'token=<redacted> scope=read',
  'connecting with password=$(DB_PASSWORD)',
  'Basic auth is enabled for {path}',
  'bearer authentication is required for {path}',
  'authorization: RBAC, Node',
  'authorization failed: token is not valid for audience {host}',
  'health: status=ok uptime={n}s version=1.{n} commit={hex}',
  'batch {uuid} finished: {n} rows, {ms}',
  'the key is under the mat: look there, {user}',
  'primary key: violates constraint orders_pkey',
  'idempotency-key: {uuid}',
  'checksum sha256={sha} size={n}',
  'GET https://{host}/path?page=2&sort=name 200 in {ms}',
  'cannot parse "http://payments:8O80": invalid port after host',
  'docker run -u 1000:1000 -p 8080:80 r.example/{app}:{n}',
  'mysql -h {host} -u {user} -p shop',
  'git clone git@github.com:example/{app}.git',
  'mail sent to {user}@example.com via smtp://{host}:25',
  'npm install https://unpkg.com/{app}@1.{n}/index.js',
  'retrying in {ms}: do not panic, attempt {n} of {n}',
  'scale factor set to 0.{n}',
  'assistant message queue drained in {ms}',
  'system: load average {n}',
  'System message bus started',
  'system prompt shell disabled',
  'developer: mode off',
  'ignoring previous value of rule {app}',
  'override of default policy {app} is not allowed',
  'Rule {app} forgets everything older than {n} days',
  'skip verification of {app}: disabled by configuration',
  'you are not allowed to {verb} {resource}',
  'Approval is not required for {app} in version {n}',
  'call function {app} took {ms}',
  'execute command {app} exit status {n}',
  'run the following to see logs: journalctl -u {app}',
  'alert {app} was marked as resolved by {user}',
  'delete node {host} from ring',
  'remove workload {app} from queue, {n} left',
  'cleanup: delete namespace {ns} finished',
  'root cause is java.net.ConnectException: Connection refused',
  'never notify observers twice, {n}',
];

const TEMPLATES: readonly string[] = [...KUBERNETES, ...DATABASES, ...WEB_SERVERS, ...RUNTIMES];
