// `daemon-process.ts <socket> <options as JSON> [<permissions of an SFTP user by server, as JSON>]`: a daemon in a separate process.
// Prints `listening` and the port of SFTP, or 0, when ready.
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { pino } from 'pino'
import { createDaemon, type DaemonOptions } from '../daemon.ts'
import { FakePanel } from './fake-panel.ts'

const [socketPath = '', deps = '', sftpPermissions] = process.argv.slice(2)
const panel = new FakePanel()
if (sftpPermissions !== undefined)
  panel.addUser({ permissions: JSON.parse(sftpPermissions) as Readonly<Record<string, RequiredPermission[]>> })
const daemon = await createDaemon({
  ...(JSON.parse(deps) as DaemonOptions),
  ...(sftpPermissions !== undefined && { panel }),
  log: pino({ level: 'error' }, pino.destination(2)),
})
await daemon.listen({ socketPath })
const port = sftpPermissions === undefined ? 0 : await daemon.serveSftp({ host: '127.0.0.1', port: 0 })
console.log(`listening ${port}`)
