import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drill } from '../stage/drill.ts'
import { Service } from './service.ts'

/** One address before some servers. */
export interface Entrance {
  readonly name: string
  readonly port: number
  /** `web` spreads requests over all that can work; a database goes to the first that answers. */
  readonly kind: 'web' | 'postgres' | 'mariadb'
  readonly servers: readonly number[]
}

/** HAProxy, as it may stand before panels and before databases. */
export async function startHaproxy(drill: Drill, folder: string, entrances: readonly Entrance[]): Promise<void> {
  await mkdir(folder)
  const path = join(folder, 'haproxy.cfg')
  await writeFile(path, [common, ...entrances.map(sectionOf)].join('\n'))
  const service = new Service(drill, { command: ['/usr/sbin/haproxy', '-db', '-f', path], folder, asRoot: true })
  await service.start()
}

const common = `
defaults
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
  retries 2
  option redispatch
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
`

const checks: Readonly<Record<Entrance['kind'], readonly string[]>> = {
  web: [
    'mode http',
    'balance roundrobin',
    'option httpchk GET /readyz',
    'http-request set-header X-Forwarded-For %[src]',
    'http-request set-header X-Forwarded-Proto http',
  ],
  postgres: ['mode tcp', 'option pgsql-check user innkeeper'],
  mariadb: ['mode tcp', 'option mysql-check user innkeeper'],
}

function sectionOf({ name, port, kind, servers }: Entrance): string {
  const line = (server: number, at: number) =>
    `server ${name}-${at + 1} 127.0.0.1:${server}${kind !== 'web' && at > 0 ? ' backup' : ''}`
  const lines = [`bind 127.0.0.1:${port}`, ...checks[kind], ...servers.map(line)]
  return [`listen ${name}`, ...lines.map((text) => `  ${text}`), ''].join('\n')
}
