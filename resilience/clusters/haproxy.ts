import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Suite } from '../harness/suite.ts'
import { Service } from './service.ts'

/** A `listen` section of HAProxy. */
export interface Listener {
  readonly name: string
  readonly port: number
  /** `web` balances requests over all healthy servers; the databases use the first healthy server. */
  readonly type: 'web' | 'postgres' | 'mariadb'
  readonly servers: readonly number[]
}

/** Starts HAProxy for panels and databases, configured as in docs/several-panels.md. */
export async function startHaproxy(suite: Suite, folder: string, listeners: readonly Listener[]): Promise<void> {
  await mkdir(folder)
  const path = join(folder, 'haproxy.cfg')
  await writeFile(path, [common, ...listeners.map(renderSection)].join('\n'))
  const service = new Service(suite, { command: ['/usr/sbin/haproxy', '-db', '-f', path], folder, asRoot: true })
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

const checks: Readonly<Record<Listener['type'], readonly string[]>> = {
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

function renderSection({ name, port, type, servers }: Listener): string {
  const line = (port: number, index: number) =>
    `server ${name}-${index + 1} 127.0.0.1:${port}${type !== 'web' && index > 0 ? ' backup' : ''}`
  const lines = [`bind 127.0.0.1:${port}`, ...checks[type], ...servers.map(line)]
  return [`listen ${name}`, ...lines.map((text) => `  ${text}`), ''].join('\n')
}
