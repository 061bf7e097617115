/** A log of each program with the one line that says why it ended, marked by `>> `. */
export const LAST_WORD_LOGS: Readonly<Record<string, string>> = {
  'any: errors that did not happen beside one that did': `level=info msg="config read" errors=0
>> level=fatal retries=0 error=false msg="cannot bind to port 80"
level=info msg="closed" err=nil`,
  'any, in German': `Dienst wird gestartet
>> Datei /etc/dienst.yaml konnte nicht gelesen werden
Dienst wird beendet`,
  'any, in Chinese': `正在启动
>> 无法打开文件 /etc/app.yaml
已停止`,
  'any, in Russian': `запуск
>> Не удалось открыть файл /etc/app.yaml
остановка`,
  'Java: an uncaught exception': `INFO starting
>> Exception in thread "main" java.lang.NumberFormatException: For input string: "80a"
\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)
\tat com.shop.Main.main(Main.java:12)`,
  'Java: the innermost cause': `ERROR org.springframework.boot.SpringApplication - Application run failed
org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'dataSource'
>> Caused by: java.sql.SQLException: Access denied for user 'shop'@'10.0.0.1'
\t... 42 more`,
  'Java: a wrong option': `>> Unrecognized VM option 'UseConcMarkSweepGC'
Picked up JAVA_TOOL_OPTIONS: -Xmx64m`,
  'Python: the last line of a traceback': `INFO booting
Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    settings = json.load(handle)
>> json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)`,
  'Python: a missing module': `Traceback (most recent call last):
  File "/app/main.py", line 1, in <module>
>> ModuleNotFoundError: No module named 'requests'`,
  'JavaScript: a TypeError': `/app/server.js:10
    const port = config.port.value
                             ^
>> TypeError: Cannot read properties of undefined (reading 'value')
    at Object.<anonymous> (/app/server.js:10:30)
    at handleError (/app/errors.js:2:1)
Node.js v20.11.0`,
  'JavaScript: a missing module': `node:internal/modules/cjs/loader:1147
>> Error: Cannot find module '/app/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1144:15)`,
  'Go: a panic': `2026/01/01 starting
>> panic: runtime error: index out of range [3] with length 2
goroutine 1 [running]:
main.main()
\t/app/main.go:12 +0x1d`,
  'Go: an unknown flag': `>> flag provided but not defined: -colour
Usage of /app/server:`,
  'Rust: a panic': `>> thread 'main' panicked at src/main.rs:4:37: called \`Result::unwrap()\` on an \`Err\` value: ParseIntError
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
  '.NET: an unhandled exception': `info: starting
>> Unhandled exception. System.FormatException: The input string '80a' was not in a correct format.
   at Program.<Main>$(String[] args) in /src/Program.cs:line 4`,
  'Ruby: an undefined method': `>> /app/app.rb:4:in 'start': undefined method 'port' for nil (NoMethodError)
\tfrom /app/app.rb:9:in '<main>'`,
  'PHP: a fatal error': `>> PHP Fatal error:  Uncaught TypeError: strlen(): Argument #1 must be of type string in /app/index.php:3
Stack trace:
#0 {main}`,
  'C: a missing library': `>> /app/server: error while loading shared libraries: libpq.so.5: cannot open shared object file`,
  'C++: a thrown exception': `terminate called without an active exception
>> terminate called after throwing an instance of 'std::out_of_range'`,
  'Elixir: an exception at start': `>> ** (RuntimeError) environment variable SECRET_KEY_BASE is missing.`,
  'shell: another architecture': `>> exec /app/server: exec format error`,
  'nginx: a wrong directive': `>> 2026/01/01 10:00:00 [emerg] 1#1: unknown directive "servr" in /etc/nginx/nginx.conf:3`,
  'PostgreSQL: a foreign data directory': `LOG:  starting PostgreSQL 16.1
>> FATAL:  database files are incompatible with server
LOG:  database system is shut down`,
  'PostgreSQL: damaged data': `LOG:  starting PostgreSQL 16.1
>> PANIC:  could not locate a valid checkpoint record: invalid page in block 3
FATAL:  startup process was terminated`,
  'MySQL: an unknown variable': `[Warning] deprecated option
>> [ERROR] [MY-000067] [Server] unknown variable 'innodb_bufer=1'.
[Note] Shutdown complete`,
  'Redis: a wrong configuration': `# Server initialized
>> *** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***`,
  'MongoDB: a taken port': `>> {"s":"F","c":"NETWORK","msg":"Failed to set up listener: Address already in use"}`,
  'RabbitMQ: a failed boot': `Starting broker...
>> BOOT FAILED: {badmatch,{error,eacces}}`,
  'Kafka: a wrong value': `INFO Registered kafka MBean
>> org.apache.kafka.common.config.ConfigException: Missing required configuration "zookeeper.connect"
ERROR Exiting Kafka due to fatal start`,
  'HAProxy: a wrong configuration': `>> [ALERT] (1) : config : parsing [/etc/haproxy.cfg:3] : unknown keyword 'servr'`,
  'a structured log of level fatal': `{"level":"info","msg":"starting"}
>> {"level":"fatal","msg":"listen tcp :80: bind: permission denied"}`,
  'the complaint before a farewell': `info starting
>> error invalid PORT: 80a is no number
fatal: exiting
shutting down`,
  'an error number of the system': `>> listen EADDRINUSE: address :::8080 in use`,
};
