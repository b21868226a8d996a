import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getDiskUsage } from '@innkeeper/contract/servers/files'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { minecraftStatus, startTcpGame } from '@innkeeper/daemon/testing/game-servers'
import { expect, test, vi } from 'vitest'
import { readCommands } from './testing/commands-of.ts'
import { freePort } from './testing/free-port.ts'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const docs = join(root, 'docs')

// Panel, node and Prometheus are started, and rates need several scrapes.
vi.setConfig({ testTimeout: 180_000 })

interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

/** Prometheus of Debian, with its configuration in a folder. */
class Prometheus implements AsyncDisposable {
  readonly #url: string
  readonly #stop: () => Promise<void>

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url
    this.#stop = stop
  }

  static async start(folder: string): Promise<Prometheus> {
    const address = `127.0.0.1:${await freePort()}`
    const files = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
    const child = spawn('prometheus', [...files, `--web.listen-address=${address}`], { stdio: 'ignore' })
    const exited = once(child, 'exit')
    const prometheus = new Prometheus(`http://${address}`, async () => {
      child.kill('SIGTERM')
      await exited
    })
    await vi.waitFor(async () => expect((await fetch(`http://${address}/-/ready`)).status).toBe(200), patience)
    return prometheus
  }

  async query(query: string): Promise<readonly Sample[]> {
    const { data } = await this.#get<{ result: readonly Sample[] }>(`query?${new URLSearchParams({ query })}`)
    return data.result
  }

  /** Alerts that are pending or firing. */
  async alerts() {
    type Alert = { labels: Record<string, string>; annotations: Record<string, string>; state: string }
    return (await this.#get<{ alerts: readonly Alert[] }>('alerts')).data.alerts
  }

  async #get<T>(path: string): Promise<{ data: T }> {
    const response = await fetch(`${this.#url}/api/v1/${path}`)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text}`)
    return JSON.parse(text) as { data: T }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
  }
}

const patience = { timeout: 60_000, interval: 200 }

/** All queries of a Grafana dashboard, with its variables set to everything. */
async function readQueries(dashboard: string): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(join(docs, dashboard), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[]
  }
  const variables = { $server: '.*', $__rate_interval: '30s', $__range: '5m' }
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((query) => Object.entries(variables).reduce((text, [name, value]) => text.replaceAll(name, value), query))
}

test('Prometheus reads panel and node, alerts after a crash, and answers each query of the dashboard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-prometheus-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const inFolder = async (command: string, replaced: Readonly<Record<string, string>> = {}) => {
    const places = { ...replaced, 'docs/monitoring': join(docs, 'monitoring'), '/etc/prometheus': folder }
    const code = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), command)
    return (await promisify(execFile)('bash', ['-euc', code], { cwd: folder })).stdout
  }
  const [createToken = '', readMetrics = '', copyFiles = '', copyCertificate = '', checkFiles = ''] =
    await readCommands('monitoring.md')
  await inFolder(createToken)
  const metricsToken = (await readFile(join(folder, 'metrics-token'), 'utf8')).trim()
  await using installation = await TestInstallation.start(undefined, { metricsToken })
  await using node = await RemoteNode.join(installation, { metricsToken })

  const answered = await inFolder(readMetrics, { 'https://panel.example.org': installation.url })
  await inFolder(copyFiles.replace(' metrics-token', ''))
  await inFolder(copyCertificate, { '/var/lib/innkeeper': join(node.folder, 'data') })
  await replaceIn(join(folder, 'prometheus.yml'), {
    "scheme: https\n    authorization:\n      credentials_file: metrics-token\n    static_configs:\n      - targets: ['panel.example.org:443']": `authorization:\n      credentials_file: metrics-token\n    static_configs:\n      - targets: ['127.0.0.1:${installation.port}']`,
    'node.example.org:5656': `127.0.0.1:${node.port}`,
    '15s': '1s',
  })
  const checked = await inFolder(checkFiles)
  expect(answered).toContain('innkeeper_panel_users 1')
  expect(checked).toMatch(/SUCCESS: 1\d rules found/)

  await using prometheus = await Prometheus.start(folder)
  const definition = { type: 'test', data: {}, environment: { type: 'standard' } }
  const run = { command: 'cat' }
  await using game = await startTcpGame(minecraftStatus({ players: { online: 4, max: 20 } }))
  const asked = { query: { type: 'minecraft' }, data: { port: { value: game.port } } }
  const steady = await installation.send(createServer, {
    body: { ...definition, ...asked, run, name: 'steady one', node: 0 },
  })
  const crashing = { command: `sh -c "sleep 5; exit 7"` }
  const fragile = await installation.send(createServer, {
    body: { ...definition, run: crashing, name: 'fragile', node: node.id },
  })
  await vi.waitFor(async () => {
    expect(await prometheus.query('up')).toMatchObject([{ value: [0, '1'] }, { value: [0, '1'] }].map(anyTime))
    const known = await prometheus.query('innkeeper_server_crashes_total')
    expect(known.map(({ metric }) => metric.server).toSorted()).toEqual([steady.id, fragile.id].toSorted())
  }, patience)
  for (const params of [steady, fragile]) {
    await installation.send(startServer, { params, query: { wait: 'true' } })
    await installation.send(getDiskUsage, { params })
  }

  await vi.waitFor(async () => {
    const crashes = (await prometheus.alerts()).filter(({ labels }) => labels.alertname === 'InnkeeperServerCrashed')
    expect(crashes).toMatchObject([
      {
        state: 'firing',
        labels: { server: fragile.id, severity: 'warning' },
        annotations: { summary: `Server fragile on 127.0.0.1:${node.port} crashed` },
      },
    ])
  }, patience)
  await vi.waitFor(async () => {
    const names = await prometheus.query(
      'innkeeper_server_memory_bytes * on (server) group_left (name) innkeeper_server_info',
    )
    expect(names.map(({ metric }) => metric.name).toSorted()).toEqual(['fragile', 'steady one'])
    const empty = []
    for (const query of await readQueries('monitoring/grafana-dashboard.json'))
      if ((await prometheus.query(query)).length === 0) empty.push(query)
    expect(empty).toEqual([])
  }, patience)
})

function anyTime({ value: [, value] }: { value: (number | string)[] }) {
  return { value: [expect.any(Number), value] }
}

async function replaceIn(path: string, replaced: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(path, 'utf8')
  for (const [from, to] of Object.entries(replaced)) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  await writeFile(path, text)
}
