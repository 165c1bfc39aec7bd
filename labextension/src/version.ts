// The version of this front end; the server part has to be of the same.
export const VERSION = '0.1.0';

/** Whether a server part and this front end go together: the first two numbers are the same. */
export function fits(server: string): boolean {
  const first = (version: string): string => version.split('.').slice(0, 2).join('.');
  return first(server) === first(VERSION);
}
