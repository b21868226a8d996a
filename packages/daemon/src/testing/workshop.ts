import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Step } from '@innkeeper/contract/operations'
import { Refusal } from '@innkeeper/contract/refusals'
import { RootFs } from '../files/root.ts'
import { createFetcher } from '../network/fetch.ts'
import type { StepRoom } from '../operations/step-room.ts'
import { runSteps } from '../operations/steps.ts'
import { startWebHost, type WebHost } from './web-host.ts'

/** A server's folder with all that steps need: a web host that may be asked, real processes, a console to look at. */
export interface Workshop extends AsyncDisposable {
  readonly folder: string
  readonly host: WebHost
  /** What was said on the console. */
  readonly said: string[]
  readonly values: Map<string, string>
  run(steps: readonly Step[], changes?: Partial<StepRoom>): Promise<void>
  /** Why the list ended, as the console will show it; fails when it did not. */
  failureOf(steps: readonly Step[], changes?: Partial<StepRoom>): Promise<string>
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-steps-')))
  const files = await RootFs.open(folder)
  const host = await startWebHost()
  const said: string[] = []
  const values = new Map([['serverId', '0a1b2c3d']])
  const room: StepRoom = {
    files,
    values,
    fetch: createFetcher({ allow: [host.address], version: '0' }),
    signal: new AbortController().signal,
    say: (message) => void said.push(message),
    runCommand: ([file = '', ...args]) =>
      new Promise((resolve, reject) => {
        execFile(file, args, { cwd: folder }, (error, stdout) => {
          for (const line of stdout.split('\n').filter(Boolean)) said.push(`> ${line}`)
          if (error?.code === 'ENOENT') reject(new Refusal('ErrMissingBinary', { expected: file }))
          else resolve({ code: error ? Number(error.code ?? 1) : 0, signal: null })
        })
      }),
  }
  const run = (steps: readonly Step[], changes: Partial<StepRoom> = {}) => runSteps(steps, { ...room, ...changes })
  return {
    folder,
    host,
    said,
    values,
    run,
    async failureOf(steps, changes) {
      try {
        await run(steps, changes)
      } catch (error) {
        if (error instanceof Error) return error.message
        throw error
      }
      throw new Error(`The steps ran to their end, saying:\n${said.join('\n')}`)
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
