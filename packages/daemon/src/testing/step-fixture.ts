import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { upstreams } from '@innkeeper/contract/http/upstreams'
import { RootFs } from '../files/root.ts'
import { createFetcher } from '../network/fetch.ts'
import type { StepContext } from '../operations/context/step-context.ts'
import { runSteps } from '../operations/steps.ts'
import { openSharedStore, type SharedStore } from '../runtimes/shared-store.ts'
import { isOnPath } from '../servers/launch/requirements.ts'
import { startWebHost, type WebHost } from './web-host.ts'

/** A server's directory with everything that steps need: a web host, real processes, a console. */
export interface StepFixture extends AsyncDisposable {
  readonly folder: string
  readonly host: WebHost
  /** What was printed on the console. */
  readonly messages: string[]
  readonly values: Map<string, string>
  /** The shared store of the node, in `node`. */
  readonly node: string
  readonly sharedStore: SharedStore
  run(steps: readonly Step[], changes?: Partial<StepContext>): Promise<void>
  /** Why the list failed, as the console prints it; fails when it succeeded. */
  getFailure(steps: readonly Step[], changes?: Partial<StepContext>): Promise<string>
}

export async function openWorkshop(): Promise<StepFixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-steps-')))
  const files = await RootFs.open(folder)
  const host = await startWebHost()
  const messages: string[] = []
  const values = new Map([
    ['serverId', '0a1b2c3d'],
    ['rootDir', folder],
  ])
  const node = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-node-')))
  const sharedStore = await openSharedStore(node)
  const path = () => `${sharedStore.runtimes.getFolder('0a1b2c3d')}:/usr/bin:/bin`
  const everyMirror = Object.fromEntries(Object.keys(upstreams).map((name) => [name, host.url('/').href]))
  const room: StepContext = {
    files,
    values,
    conditionContext: { env: 'host', os: 'linux', arch: 'amd64', serverId: '0a1b2c3d' },
    fetch: createFetcher({ allow: [host.address], mirrors: everyMirror, version: '0', retryMs: 20 }),
    sharedStore,
    curseforgeKey: 'key-of-the-node',
    inPath: (name) => isOnPath(name, path()),
    setVariable: async (name, value) => void values.set(name, value),
    send: (line) => void messages.push(`typed: ${line}`),
    signal: new AbortController().signal,
    say: (message) => void messages.push(message),
    runCommand: ([file = '', ...args], { env = {} } = {}) =>
      new Promise((resolve, reject) => {
        execFile(file, args, { cwd: folder, env: { HOME: folder, PATH: path(), ...env } }, (error, stdout) => {
          for (const line of stdout.split('\n').filter(Boolean)) messages.push(`> ${line}`)
          if (error?.code === 'ENOENT') reject(new Refusal('ErrMissingBinary', { expected: file }))
          else resolve({ code: error ? Number(error.code ?? 1) : 0, signal: null })
        })
      }),
  }
  const run = (steps: readonly Step[], changes: Partial<StepContext> = {}) => runSteps(steps, { ...room, ...changes })
  return {
    folder,
    host,
    messages,
    values,
    node,
    sharedStore,
    run,
    async getFailure(steps, changes) {
      try {
        await run(steps, changes)
      } catch (error) {
        if (error instanceof Error) return error.message
        throw error
      }
      throw new Error(`The steps ran to their end, saying:\n${messages.join('\n')}`)
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
      await sharedStore.close()
      for (const made of [folder, node]) rmSync(made, { recursive: true, force: true })
    },
  }
}
