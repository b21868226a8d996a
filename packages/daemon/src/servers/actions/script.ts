import { setTimeout as pause } from 'node:timers/promises'
import { splitCommand } from '@innkeeper/contract/definitions/command-line'
import { getContainerConfig, getImage } from '@innkeeper/contract/definitions/container'
import { type Definition, findEnvironmentType, getEnvironment } from '@innkeeper/contract/definitions/definition'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import type { ScriptSpec } from '../../environments/docker/container.ts'
import type { RootFs } from '../../files/root.ts'
import type { Environment, Exit, Run } from '../../processes/run.ts'
import type { ServerEnvironment } from './server-environment.ts'
import { type WaitOptions, waitForExit } from './step-process.ts'

/** What a script may write in its container on a server without a limit of disk space, and at least; MiB. */
const scriptDisk = { default: 10_240, least: 1_024 } as const
const mebibyte = 1024 ** 2
/** Interval of looking at it. */
const diskEveryMs = 2_000

/** Time for a container that changes the owner of files. */
const chownTimeoutMs = 600_000

interface ScriptOptions extends WaitOptions {
  readonly key: string
  readonly server: Pick<ServerEnvironment, 'definition' | 'resources' | 'scriptVariables'>
  readonly values: ReadonlyMap<string, string>
  readonly rootDir: string
  readonly files: Pick<RootFs, 'restoreOwner' | 'owner'>
  readonly scriptEnvironment: (script: ScriptSpec, rootDir: string) => Environment
  readonly say: (message: string) => void
}

type Resources = ScriptOptions['server']['resources']

/**
 * Runs a script as root of a container of its own. Whatever its end, all files belong to the user of the server
 * afterwards. Throws ErrDockerNotSupported or ErrImageUnavailable, or when the script takes too long or writes too much.
 */
export async function runScript(step: StepFields<'dockerrun'>, options: ScriptOptions): Promise<Exit> {
  const { server, values, rootDir, say, signal } = options
  const script = getScript(step, server.definition, values)
  const environment = options.scriptEnvironment(script, rootDir)
  await environment.prepare?.({ say, signal })
  say(`Running a script in a container of ${script.image}`)
  const timeout = AbortSignal.timeout(step.timeout * 1000)
  try {
    const run = await environment.start(getPlan(script, options))
    await using disk = watchDisk(run, getDiskLimit(server.resources))
    const exit = await waitForExit(run, { ...options, signal: AbortSignal.any([signal, timeout, disk.signal]) })
    if (exit.isOutOfMemory) throw new Error('the script needed more memory than its container may use')
    return exit
  } catch (cause) {
    if (timeout.aborted && !signal.aborted)
      throw new Error(`the script did not end within ${step.timeout} seconds`, { cause })
    throw cause
  } finally {
    await restoreOwner(script, options)
  }
}

function getDiskLimit({ limits }: Resources): number {
  return Math.max(limits?.disk ?? scriptDisk.default, scriptDisk.least)
}

/** Aborts its signal when a script has written more in its container than so many MiB. */
function watchDisk(run: Run, maxMebibytes: number): AsyncDisposable & { readonly signal: AbortSignal } {
  const [ended, exceeded] = [new AbortController(), new AbortController()]
  const watch = async () => {
    while (!ended.signal.aborted) {
      // The engine may not answer for a while; then it is asked again.
      const bytes = (await run.writtenBytes?.().catch(() => undefined)) ?? 0
      if (bytes > maxMebibytes * mebibyte) {
        const text = `the script wrote more than ${maxMebibytes} MiB in its container, outside of the folder of the server`
        return exceeded.abort(new Error(text))
      }
      await pause(diskEveryMs, undefined, { signal: ended.signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    signal: exceeded.signal,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await watching
    },
  }
}

function getScript(
  { image, entrypoint, script, mount }: StepFields<'dockerrun'>,
  definition: Definition,
  values: ReadonlyMap<string, string>,
): ScriptSpec {
  return {
    image: getImage(image, definition.data, values),
    network: getNetwork(definition, values),
    shell: splitCommand(entrypoint),
    text: script,
    mount,
  }
}

/** Like that of the server, but never the network of the node, where services trust local programs. */
function getNetwork(definition: Definition, values: ReadonlyMap<string, string>): string {
  const environment = getEnvironment(definition)
  if (findEnvironmentType(environment) !== 'docker') return 'bridge'
  const { network } = getContainerConfig(environment, definition.data, values)
  return network === 'host' ? 'bridge' : network
}

function getPlan({ mount }: ScriptSpec, { key, rootDir, server, values }: ScriptOptions) {
  const env = server.scriptVariables(values, mount)
  return { key, file: '', args: [], cwd: rootDir, env, limits: server.resources.limits }
}

/** Only root can change owners: without root, the root of a container does. */
async function restoreOwner(script: ScriptSpec, options: ScriptOptions): Promise<void> {
  if (process.getuid?.() === 0) return await options.files.restoreOwner()
  const { uid, gid } = options.files.owner
  const chown = { ...script, network: 'none', text: `exec chown -R -h ${uid}:${gid} .` }
  const run = await options.scriptEnvironment(chown, options.rootDir).start(getPlan(chown, options))
  await waitForExit(run, { console: options.console, signal: AbortSignal.timeout(chownTimeoutMs) })
}
