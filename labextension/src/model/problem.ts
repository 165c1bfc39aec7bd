// Why a save failed, in the kinds that an editor tells apart. No DOM.
import { ApiError } from '../api/request';

/** No answer, no room on the disk, a text that cannot stand there, or anything else. */
export interface Problem {
  kind: 'offline' | 'full' | 'rejected' | 'other';
  error: ApiError;
}

export function problemOf(error: ApiError): Problem {
  return { kind: kindOf(error), error };
}

function kindOf(error: ApiError): Problem['kind'] {
  if (error.code === 'unreachable' || error.code === 'missing' || [502, 503, 504].includes(error.status)) {
    return 'offline';
  }
  if (error.status === 507) {
    return error.hint?.startsWith('the disk') ? 'full' : 'other';
  }
  return error.status === 422 ? 'rejected' : 'other';
}

/** Nothing answers to the name any more. */
export function isGone(error: ApiError): boolean {
  return error.code === 'section-not-found' || error.code === 'note-not-found';
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
}
