import { defineConfig } from 'vitest/config'

const common = { testTimeout: 20_000, hookTimeout: 30_000 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          environment: 'node',
          include: [
            'packages/{contract,daemon,panel,cli}/src/**/*.test.ts',
            'checks/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...common,
          name: 'web',
          environment: 'jsdom',
          include: ['packages/web/src/**/*.test.{ts,tsx}'],
          setupFiles: ['packages/web/src/testing/setup.ts'],
          css: false,
        },
      },
    ],
  },
})
