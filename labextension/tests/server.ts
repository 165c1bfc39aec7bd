// A server for tests: answers by method and path, and remembers what was asked.
import { ServerConnection } from '@jupyterlab/services';

export interface Asked {
  method: string;
  /** Below `kb/api/`, without query. */
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
  signal: AbortSignal | null;
}

export type Answer = (asked: Asked) => unknown;

/** Thrown by an answer: a refusal in the server's form. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown
  ) {
    super('refused');
  }
}

/** A request that keeps its signal beside it: Node's own refuses one of jsdom's. */
class AskedRequest extends Request {
  readonly given: AbortSignal | null;

  constructor(input: RequestInfo | URL, { signal = null, ...init }: RequestInit = {}) {
    super(input, init);
    this.given = signal ?? (input instanceof AskedRequest ? input.given : null);
  }
}

export class FakeServer {
  readonly asked: Asked[] = [];
  private readonly _answers = new Map<string, Answer>();

  readonly settings = ServerConnection.makeSettings({
    baseUrl: 'http://test/',
    appendToken: false,
    Request: AskedRequest,
    fetch: (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new AskedRequest(input, init);
      return this._fetch(request, request.given);
    }
  });

  on(method: string, path: string, answer: Answer): this {
    this._answers.set(`${method} ${path}`, answer);
    return this;
  }

  private async _fetch(request: Request, signal: AbortSignal | null): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const asked: Asked = {
      method: request.method,
      path: url.pathname.replace('/kb/api/', ''),
      query: url.searchParams,
      body: text ? JSON.parse(text) : undefined,
      headers: request.headers,
      signal
    };
    this.asked.push(asked);
    const answer = this._answers.get(`${asked.method} ${asked.path}`);
    if (!answer) {
      return new Response('<html>not found</html>', { status: 404 });
    }
    try {
      return Response.json(await Promise.race([answer(asked), aborted(signal)]));
    } catch (error) {
      if (error instanceof Refusal) {
        return Response.json(error.body, { status: error.status });
      }
      throw error;
    }
  }
}

/** Never anything but the error of a request that was ended, as `fetch` throws it. */
function aborted(signal: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
