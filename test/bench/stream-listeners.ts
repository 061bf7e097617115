/** A process of its own that holds streams open, so that what reading them costs is not counted as the server's. */
import { request } from 'node:http';

interface Order {
  readonly url: string;
  readonly cookies: readonly string[];
  readonly streams: number;
}

process.once('message', (order: Order) => void listen(order));

/** Reports `ready` once all streams are open, and one message each time that all have heard one event more. */
async function listen({ url, cookies, streams }: Order): Promise<void> {
  let heard = 0;
  let ready = 0;
  for (let n = 0; n < streams; n += 1) {
    const call = request(`${url}/api/v1/stream`, {
      agent: false,
      headers: { cookie: cookies[n % cookies.length] ?? '' },
    });
    call.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (text.includes('event: ready')) ready += 1;
        heard += text.split('event: incident').length - 1;
        if (ready === streams) {
          ready = 0;
          process.send?.('ready');
        }
        while (heard >= streams) {
          heard -= streams;
          process.send?.('heard');
        }
      });
    });
    call.on('error', () => process.exit(1));
    call.end();
  }
}
