import type { Command } from '../command/command.ts'

/** Shorter than the timeout of the health check of a container. */
const timeoutMs = 5_000

/** The health check of containers and service managers. */
export const health: Command = {
  name: 'health',
  operands: [],
  summary: 'Exits with 0 when Innkeeper is ready on this machine, otherwise with 1.',
  options: {},
  notes:
    'For health checks of containers and services. It asks the panel whether it is ready, or the node whether it runs.',

  async run(_, { config, terminal, exit }) {
    const { isReady } = await import('../doctor/network-checks.ts')
    const ready = await isReady(config, AbortSignal.timeout(timeoutMs))
    terminal.say(ready ? 'Innkeeper is ready.' : 'Innkeeper is not ready.')
    exit(ready ? 0 : 1)
  },
}
