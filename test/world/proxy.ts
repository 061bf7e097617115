import { createServer as createControl, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import { freePorts } from './child.ts';

/** Which requests a rule touches: by method, by a pattern on path and query, at most `times` of them. */
export interface ProxyRule {
  readonly id: string;
  readonly method?: string;
  readonly url?: string;
  readonly times?: number;
  readonly effect: /** The API server gets the request and answers; the caller gets the answer only once the rule is removed, or never when the caller gives up. */
    | { readonly do: 'hold-answer' }
    /** The request waits here, read to its end, and reaches the API server only once the rule is removed. */
    | { readonly do: 'hold-request' }
    /** The API server gets the request; the caller's connection is cut instead of an answer. */
    | { readonly do: 'cut-answer' }
    /** The request never reaches the API server; the caller's connection is cut. */
    | { readonly do: 'drop' }
    /** The request never reaches the API server and is never answered. */
    | { readonly do: 'hang' }
    | { readonly do: 'delay'; readonly ms: number }
    /** Streams so many bytes of the answer, then cuts, in the middle of a line where that is where they end. */
    | { readonly do: 'cut-after'; readonly bytes: number }
    | {
        readonly do: 'answer';
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string;
      };
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly rule?: string;
  readonly status?: number;
}

export interface FaultProxy {
  /** Where clients find the API server through the proxy. */
  readonly server: string;
  /** Control: `PUT /rules` with an array of rules, `GET /seen`, `DELETE /seen`. */
  readonly control: string;
  setRules(rules: readonly ProxyRule[]): void;
  readonly seen: readonly SeenRequest[];
  close(): void;
}

/** A proxy in front of the API server that can hold, cut, delay or answer in its place; without rules it passes everything through. */
export async function startProxy(
  target: string,
  tls: { readonly key: string; readonly cert: string },
): Promise<FaultProxy> {
  const [port, controlPort] = (await freePorts(2)) as [number, number];
  const active = new Map<string, { rule: ProxyRule; left: number }>();
  const held = new Map<string, (() => void)[]>();
  const seen: SeenRequest[] = [];
  const upstream = new URL(target);

  function take(method: string, url: string): ProxyRule | undefined {
    for (const entry of active.values()) {
      const { rule } = entry;
      if (
        entry.left <= 0 ||
        (rule.method !== undefined && rule.method !== method) ||
        (rule.url !== undefined && !new RegExp(rule.url).test(url))
      )
        continue;
      entry.left -= 1;
      return rule;
    }
    return undefined;
  }

  function setRules(rules: readonly ProxyRule[]): void {
    const kept = new Set(rules.map((rule) => rule.id));
    for (const [id, releases] of held) {
      if (kept.has(id)) continue;
      held.delete(id);
      for (const release of releases) release();
    }
    active.clear();
    for (const rule of rules) active.set(rule.id, { rule, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  function keep(rule: ProxyRule, release: () => void): void {
    held.set(rule.id, [...(held.get(rule.id) ?? []), release]);
  }

  const server = createServer(tls, (incoming, outgoing) => {
    const method = incoming.method ?? 'GET';
    const url = incoming.url ?? '/';
    const rule = take(method, url);
    const entry: { method: string; url: string; rule?: string; status?: number } = {
      method,
      url,
      ...(rule === undefined ? {} : { rule: rule.id }),
    };
    seen.push(entry);
    if (rule?.effect.do === 'drop') return void incoming.socket.destroy();
    if (rule?.effect.do === 'hang') return;
    if (rule?.effect.do === 'answer') {
      entry.status = rule.effect.status;
      outgoing.writeHead(rule.effect.status, { 'content-type': 'application/json', ...rule.effect.headers });
      outgoing.end(rule.effect.body ?? '');
      incoming.resume();
      return;
    }
    const pass = () => forward(incoming, outgoing, rule, entry);
    if (rule?.effect.do === 'hold-request') return keep(rule, pass);
    const wait = rule?.effect.do === 'delay' ? rule.effect.ms : 0;
    setTimeout(pass, wait);
  });

  function forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    rule: ProxyRule | undefined,
    entry: { status?: number },
  ): void {
    const call = request(
      {
        host: upstream.hostname,
        port: upstream.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        rejectUnauthorized: false,
      },
      (answer) => {
        if (answer.statusCode !== undefined) entry.status = answer.statusCode;
        const pass = () => {
          if (outgoing.destroyed) return void answer.destroy();
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          // A server says at once that it has taken a watch, even where nothing happens for minutes.
          outgoing.flushHeaders();
          if (rule?.effect.do === 'cut-after') cutAfter(answer, outgoing, rule.effect.bytes);
          else answer.pipe(outgoing);
        };
        if (rule?.effect.do === 'cut-answer') return void outgoing.destroy();
        if (rule?.effect.do !== 'hold-answer') return pass();
        keep(rule, pass);
      },
    );
    call.on('error', () => outgoing.destroy());
    outgoing.on('close', () => call.destroy());
    incoming.pipe(call);
  }

  const control = createControl((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    incoming.on('end', () => {
      if (incoming.method === 'PUT') setRules(JSON.parse(body) as ProxyRule[]);
      if (incoming.method === 'DELETE') seen.length = 0;
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify(incoming.url === '/seen' ? seen : [...active.values()]));
    });
  });
  await Promise.all([
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => control.listen(controlPort, '127.0.0.1', resolve)),
  ]);
  return {
    server: `https://127.0.0.1:${port}`,
    control: `http://127.0.0.1:${controlPort}`,
    setRules,
    seen,
    close() {
      server.closeAllConnections();
      server.close();
      control.closeAllConnections();
      control.close();
    },
  };
}

function cutAfter(answer: IncomingMessage, outgoing: ServerResponse, bytes: number): void {
  let left = bytes;
  answer.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    outgoing.write(part, () => {
      if (left <= 0) outgoing.destroy();
    });
  });
  answer.on('end', () => outgoing.end());
}
