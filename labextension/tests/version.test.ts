import { describe, expect, it } from 'vitest';

import manifest from '../package.json';
import { fits, VERSION } from '../src/version';

describe('the version', () => {
  it('is that of the package', () => {
    expect(VERSION).toBe(manifest.version);
  });

  it('fits a server part with the same first two numbers', () => {
    expect(fits(VERSION)).toBe(true);
    expect(fits(VERSION.replace(/\d+$/, '77'))).toBe(true);
    expect(fits('77.0.0')).toBe(false);
  });
});
