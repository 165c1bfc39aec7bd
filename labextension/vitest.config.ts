import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'jsdom',
    include: ['tests/**/*.test.{ts,tsx}'],
    setupFiles: ['tests/setup.ts'],
    css: false,
    server: { deps: { inline: [/@jupyterlab/, /@jupyter\//, /@lumino/, /lib0/, /y-protocols/, /yjs/] } }
  }
});
