// The one function that sends a request to the server extension, and the one error that it throws.
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type { ErrorBody } from './types';

/** A refusal of the server in its own words; `unreachable` where it did not answer, `missing` where it is not installed. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly hint: string | null = null,
    readonly details: Record<string, unknown> = {}
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface Options {
  method?: 'GET' | 'POST' | 'PATCH';
  /** Values that are undefined, null or '' are left out; an array is given several times. */
  query?: Record<string, string | number | boolean | readonly string[] | null | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Ask the server extension for what stands below `kb/api/` and read its answer as JSON.
 *
 * Throws `ApiError`, or the signal's `AbortError` as it is.
 */
export async function request<T>(
  settings: ServerConnection.ISettings,
  path: string,
  options: Options = {}
): Promise<T> {
  const url = URLExt.join(settings.baseUrl, 'kb/api', path) + queryString(options.query ?? {});
  const init: RequestInit = { method: options.method ?? 'GET' };
  if (options.signal) {
    init.signal = options.signal;
  }
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
  }
  if (options.headers || options.body !== undefined) {
    init.headers = {
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers
    };
  }
  let response: Response;
  try {
    response = await ServerConnection.makeRequest(url, init, settings);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ApiError('unreachable', 'no answer from the server', 0, null, { reason: String(error) });
  }
  const text = await response.text();
  const data = parsed(text);
  if (response.ok && data !== undefined) {
    return data as T;
  }
  const body = data as Partial<ErrorBody> | undefined;
  if (typeof body?.code === 'string') {
    const { code, message = '', hint = null, details = {} } = body;
    throw new ApiError(code, message, response.status, hint, details);
  }
  if (response.status === 404) {
    throw new ApiError('missing', 'the server part of the knowledge base is not running', 404);
  }
  if ([401, 403].includes(response.status) || response.redirected) {
    const hint = 'sign in again in another tab, then try again here';
    throw new ApiError('signed-out', 'the server does not know you any more', response.status, hint);
  }
  throw new ApiError('unexpected', `${response.status} ${response.statusText}`, response.status, null, {
    text
  });
}

function queryString(query: NonNullable<Options['query']>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (item !== undefined && item !== null && item !== '') {
        search.append(name, String(item));
      }
    }
  }
  return search.size ? `?${search.toString()}` : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
