// `daemon-process.ts <socket> <options as JSON>`: a daemon in a separate process. Prints `listening` when ready.
import { pino } from 'pino'
import { createDaemon, type DaemonOptions } from '../daemon.ts'

const [socketPath = '', deps = ''] = process.argv.slice(2)
const daemon = await createDaemon({
  ...(JSON.parse(deps) as DaemonOptions),
  log: pino({ level: 'error' }, pino.destination(2)),
})
await daemon.listen({ socketPath })
console.log('listening')
