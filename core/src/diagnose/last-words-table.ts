/**
 * How a program says why it ends. `damaged`: its data is broken, so that no restart helps. `ended`: words that only a program which ends
 * writes. `complained`: an error that need not be the last. `farewell`: that it ends, without the reason.
 */
export type LastWordLevel = 'damaged' | 'ended' | 'complained' | 'farewell';

export interface LastWordForm {
  /** The language or server whose words these are. */
  readonly of: string;
  readonly level: LastWordLevel;
  readonly form: RegExp;
}

/** Every form is a plain alternation without nested repetition: it runs in linear time on whatever a program writes. */
export const LAST_WORD_FORMS: readonly LastWordForm[] = [
  { of: 'any', level: 'damaged', form: /\bcorrupt|data is damaged|torn page|cannot replay/i },
  {
    of: 'any',
    level: 'damaged',
    form: /checksum (?:mismatch|error|fail|verification failed)|(?:bad|invalid|wrong|page) checksum/i,
  },
  { of: 'any', level: 'damaged', form: /\b(?:invalid|bad) (?:page|magic|header|block|superblock)\b/i },
  { of: 'SQLite', level: 'damaged', form: /database disk image is malformed|file is not a database/i },
  { of: 'InnoDB', level: 'damaged', form: /InnoDB: (?:Database page|Assertion failure|Tablespace .{0,80} corrupt)/ },
  { of: 'etcd', level: 'damaged', form: /wal: crc mismatch|snap: no available snapshot/ },

  { of: 'any', level: 'ended', form: /\b(?:unhandled|uncaught)\b/i },
  { of: 'any', level: 'ended', form: /\b(?:fatal|panic|critical|emergency)\b/i },
  { of: 'any', level: 'ended', form: /\bexception\b|\btraceback\b/i },
  { of: 'Java, Python, JavaScript, .NET, Ruby, PHP', level: 'ended', form: /[A-Za-z](?:Error|Exception)\b/ },
  {
    of: 'Java',
    level: 'ended',
    form: /^\s*Caused by: |Could not find or load main class|Unable to access jarfile|no main manifest attribute/,
  },
  {
    of: 'Java',
    level: 'ended',
    form: /Error occurred during initialization of VM|Unrecognized (?:VM )?option|A fatal error has been detected/,
  },
  { of: 'Spring', level: 'ended', form: /APPLICATION FAILED TO START|Application run failed/ },
  { of: 'Python', level: 'ended', form: /can't open file '|\bNo module named\b|\bSystemExit\b|\bKeyboardInterrupt\b/ },
  {
    of: 'gunicorn, uvicorn',
    level: 'ended',
    form: /Worker failed to boot|Error loading ASGI app|Failed to find attribute/,
  },
  {
    of: 'JavaScript',
    level: 'ended',
    form: /\bCannot find module\b|\bERR_[A-Z_]{3,60}\b|JavaScript heap out of memory|UnhandledPromiseRejection/,
  },
  { of: 'Go', level: 'ended', form: /^panic: |^fatal error: |flag provided but not defined|all goroutines are asleep/ },
  { of: 'Rust', level: 'ended', form: /\bpanicked at\b|called `(?:Result|Option)::|^Error: [A-Z]\w{2,60}[ ({]/ },
  {
    of: '.NET',
    level: 'ended',
    form: /Unhandled exception\.|You must install (?:or update )?\.NET|The application to execute does not exist/i,
  },
  {
    of: 'Ruby',
    level: 'ended',
    form: /\((?:[A-Z]\w{1,60}::)?[A-Z]\w{1,60}(?:Error|NotFound|Invalid|Exception)\)|cannot load such file|Could not find gem/,
  },
  { of: 'PHP', level: 'ended', form: /PHP (?:Fatal|Parse) error|Allowed memory size of \d{1,20} bytes exhausted/ },
  {
    of: 'C, C++',
    level: 'ended',
    form: /segmentation fault|\bsegfault\b|core dumped|terminate called|stack smashing detected|double free|\bAborted\b/i,
  },
  {
    of: 'C, C++',
    level: 'ended',
    form: /\bassert(?:ion)?\b.{0,200}\bfail|free\(\): invalid|error while loading shared libraries|symbol lookup error/i,
  },
  {
    of: 'Erlang, Elixir',
    level: 'ended',
    form: /init terminating in do_boot|Kernel pid terminated|\*\* \([A-Z]|CRASH REPORT|BOOT FAILED/,
  },
  { of: 'Perl', level: 'ended', form: /Can't locate \S{1,200} in @INC|Compilation failed in require/ },
  {
    of: 'shell',
    level: 'ended',
    form: /\bexec format error\b|: (?:command )?not found$|unbound variable|\bSyntax error: |exec: "/i,
  },
  { of: 'nginx', level: 'ended', form: /\[emerg\]|\[alert\]|\[crit\]/ },
  {
    of: 'Apache',
    level: 'ended',
    form: /\bAH\d{5}: (?:Syntax error|Invalid|no listening|could not bind)|make_sock: could not bind/i,
  },
  { of: 'HAProxy', level: 'ended', form: /\[ALERT\]|Fatal errors found in configuration/ },
  { of: 'Envoy', level: 'ended', form: /\[critical\]|error initializing configuration/ },
  {
    of: 'PostgreSQL',
    level: 'ended',
    form: /\b(?:FATAL|PANIC): |could not (?:create|bind|access|open) (?:lock file|any TCP|directory|file)/,
  },
  {
    of: 'MySQL, MariaDB',
    level: 'ended',
    form: /\[ERROR\] .{0,200}Aborting|unknown (?:variable|option) '|Can't (?:start server|create\/write)/,
  },
  {
    of: 'Redis',
    level: 'ended',
    form: /FATAL CONFIG FILE ERROR|Bad directive or wrong number of arguments|Bad file format reading the append only file|Fatal error, can't/,
  },
  { of: 'MongoDB', level: 'ended', form: /"s":"F"|Fatal assertion|Failed to set up listener/ },
  {
    of: 'Elasticsearch, OpenSearch',
    level: 'ended',
    form: /bootstrap checks? failed|fatal exception while booting|node validation exception/i,
  },
  {
    of: 'Prometheus, Grafana',
    level: 'ended',
    form: /Error loading config|opening storage failed|Failed to start grafana/i,
  },
  {
    of: 'structured logs',
    level: 'ended',
    form: /"(?:level|severity)":\s?"(?:fatal|panic|critical|emergency|alert)"|\blevel=(?:fatal|panic|critical)\b/i,
  },

  {
    of: 'any',
    level: 'complained',
    form: /\b(?:error|err|severe|denied|refused|invalid|missing|undefined|unknown|unsupported|unrecognized|illegal|unexpected|malformed)\b/i,
  },
  {
    of: 'any',
    level: 'complained',
    form: /\bfail(?:ed|ure|s|ing)?\b|\b(?:cannot|can't|could not|couldn't|unable to|not able to)\b/i,
  },
  {
    of: 'any',
    level: 'complained',
    form: /\b(?:no such|not found|does not exist|not set|not defined|must be|is required|not permitted|not allowed|already in use|out of range|out of memory)\b/i,
  },
  {
    of: 'any',
    level: 'complained',
    form: /\b(?:timed out|timeout|unreachable|no route to host|connection reset|no space left|read-only file system|expired|unauthorized|forbidden)\b/i,
  },
  {
    of: 'any',
    level: 'complained',
    form: /\bE(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|CONNREFUSED|CONNRESET|EXIST|MFILE|NOENT|NOMEM|NOSPC|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|AI_AGAIN)\b/,
  },
  {
    of: 'programs that write German, French, Spanish, Portuguese, Italian or Polish',
    level: 'complained',
    form: /fehler|fehlgeschlagen|konnte nicht|verweigert|erreur|échec|échoué|introuvable|no se pud?[oe]|falló|fallo al|erro ao|falha|não foi possível|errore|impossibile|fallit|błąd|nie można|nie udało/i,
  },
  {
    of: 'programs that write Russian, Chinese, Japanese or Korean',
    level: 'complained',
    form: /ошибк|сбой|не удалось|не найден|отказано|错误|失败|无法|找不到|錯誤|失敗|無法|エラー|できません|見つかりません|오류|실패/i,
  },

  {
    of: 'any',
    level: 'farewell',
    form: /\b(?:exiting|shutting down|terminating|aborting|giving up|gave up|stopping)\b/i,
  },
];

/** Lines of launchers and servers that only report the end of what failed before. */
export const REPORTS_AN_END =
  /Exiting Kafka due to|exiting abnormally|^npm (?:ERR!|error) |^error Command failed with exit code/;

/** Lines of a stack trace name functions, not reasons, although their names may hold `Error`. */
export const STACK_FRAME = /^\s{0,20}(?:at |File "|\.\.\. \d|goroutine \d|#\d|from \S{1,300}:\d)/;

/** Numbers of errors that did not happen. The rest of the line still counts. */
export const NO_ERRORS =
  /\b(?:0|no|zero|without) (?:errors?|failures?|exceptions?|warnings?)\b|\berr(?:or)?s?[=:]\s?(?:0|nil|null|none|false)\b/gi;
