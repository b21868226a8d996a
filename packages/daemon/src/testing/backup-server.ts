import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup, BackupJob } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import { expect, vi } from 'vitest'
import { program, type TestNode } from './daemon.ts'
import { testOnSharedNode } from './node-test.ts'

/** Generous for busy machines: deriving the key of the repository takes long. */
export const slowWait = { timeout: 60_000, interval: 50 }

let servers = 0

/** A server, its files and its backups. */
export class BackupServer {
  readonly node: TestNode
  readonly id = (0x0b0b0b00 + servers++).toString(16).padStart(8, '0')
  readonly params = { id: this.id }

  constructor(node: TestNode) {
    this.node = node
  }

  /** Without a command it ends at once. */
  async create(command: 'true' | 'echo' = 'true', more: object = {}): Promise<void> {
    await this.node.client.create(this.id, command === 'echo' ? program('echo') : command, more)
  }

  get dir(): string {
    return join(this.node.dataDir, 'servers', this.id)
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.dir, path, '..'), { recursive: true })
    writeFileSync(join(this.dir, path), text)
  }

  read(path: string): string | undefined {
    return existsSync(join(this.dir, path)) ? readFileSync(join(this.dir, path), 'utf8') : undefined
  }

  async list(): Promise<Backup[]> {
    return (await this.node.client.send(calls.listBackups, { params: this.params })).body
  }

  async jobs(): Promise<BackupJob[]> {
    return (await this.node.client.send(calls.listBackupJobs, { params: this.params })).body
  }

  async start(name = '', ticket: object = {}): Promise<BackupJob> {
    const { status, body } = await this.node.client.send(calls.createBackup, {
      params: this.params,
      body: { name },
      ticket,
    })
    expect(status).toBe(202)
    return body
  }

  async ended({ id }: BackupJob): Promise<BackupJob> {
    return await vi.waitFor(async () => {
      const job = (await this.jobs()).find((one) => one.id === id)
      if (!job || job.state === 'waiting' || job.state === 'running') throw new Error('the job has not ended')
      return job
    }, slowWait)
  }

  /** Makes a backup; fails when it fails. */
  async backUp(name = ''): Promise<Backup> {
    const { error, backup } = await this.ended(await this.start(name))
    expect(error).toBeUndefined()
    return (await this.list()).find(({ id }) => id === backup) as Backup
  }

  async startRestore(backup: Backup, body: object = {}): Promise<BackupJob> {
    const params = { ...this.params, backup: backup.id }
    const started = await this.node.client.send(calls.restoreBackup, { params, body })
    expect(started.body).toMatchObject({ type: 'restore' })
    return started.body
  }

  async restore(backup: Backup, body: object = {}): Promise<BackupJob> {
    return await this.ended(await this.startRestore(backup, body))
  }
}

/** The processes of restic that a process started, by default those of any command. */
export function getRestic(parent: number, command?: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const isChild = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] === String(parent)
        if (!isChild || !/restic/.test(readFileSync(`/proc/${name}/comm`, 'utf8'))) return []
        const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
        return command === undefined || args.includes(command) ? [Number(name)] : []
      } catch {
        return []
      }
    })
}

/** Changes the largest file of data in a repository, by default that of the node, as a bad disk does. */
export function damageRepository({ dataDir }: TestNode, repository = join(dataDir, 'backups', 'repository')): void {
  const data = join(repository, 'data')
  const packs = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))
  const getSize = (path: string) => (statSync(path).isFile() ? statSync(path).size : 0)
  const [largest = ''] = packs.toSorted((a, b) => getSize(b) - getSize(a))
  const bytes = readFileSync(largest)
  bytes.fill(0, 0, bytes.length >> 1)
  writeFileSync(largest, bytes)
}

/** A test with a server of its own on the node of its file. */
export const test = testOnSharedNode.extend<{ server: BackupServer }>({
  server: async ({ node }, use) => {
    await use(new BackupServer(node))
  },
})
