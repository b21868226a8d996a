import {
  environmentOf,
  environmentTypeOf,
  isOfNewerFamily,
  type ServerDefinition,
  type ServerLimits,
  type Environment as Wanted,
} from '@innkeeper/contract/definition'
import { type ListenAddress, readableAddressIn } from '@innkeeper/contract/listen-address'
import type { Step } from '@innkeeper/contract/operations'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Console } from '../console/console.ts'
import type { Occupant } from '../environments/docker/docker.ts'
import type { Environment, Exit, Run } from '../environments/run.ts'
import { RootFs } from '../files/root.ts'
import { parsePath } from '../files/safe-path.ts'
import type { Work } from '../lifecycle/supervisor.ts'
import type { Fetcher } from '../network/fetch.ts'
import type { StepRoom } from '../operations/step-room.ts'
import { runSteps, StepFailure } from '../operations/steps.ts'
import {
  commandLineOf,
  environmentVariables,
  type Place,
  seenFromInside,
  valuesOf,
  workingDirectoryOf,
} from './launch.ts'

interface Needs {
  readonly place: Place
  /** The definition as it is now; throws ErrServerDamaged when it cannot be used. */
  readonly definition: () => ServerDefinition
  readonly console: Pick<Console, 'say' | 'follow'>
  /** Throws ErrUnknownEnvironment, or ErrFieldInvalid for a container that cannot be. */
  readonly environmentFor: (wanted: Wanted, occupant: Occupant) => Environment
  readonly fetch: Fetcher
  /** What of these limits this node does not hold a server to, in words. */
  readonly shortfalls: (limits: Partial<ServerLimits>) => readonly string[]
  /** What already listens where the server wants to, in words. */
  readonly portTroubles: (wanted: ListenAddress) => Promise<readonly string[]>
}

/** The signal that asks a process to end when its definition names no other way. */
const terminate = 15

/** What a definition says is to be done for its server. */
export interface ServerWork extends Work {
  /** Runs the steps that undo an install. */
  uninstall(signal: AbortSignal): Promise<void>
}

export function serverWork(needs: Needs): ServerWork {
  const { place, definition, console, environmentFor, fetch, shortfalls, portTroubles } = needs
  return {
    rules() {
      const run = tryRun(definition)
      if (!run || run.disabled) return { autorestart: false, autorecover: false, expectedExitCode: 0 }
      return {
        autorestart: run.autorestart === true,
        autorecover: run.autorecover === true,
        expectedExitCode: run.expectedExitCode ?? 0,
      }
    },

    async prepare(signal) {
      const whole = definition()
      await environmentOfServer(whole).prepare?.({ say: (message) => console.say(message), signal })
      await run(whole.run.pre, signal)
    },

    async launch() {
      const whole = definition()
      const seen = seenFromInside(whole, place)
      const values = valuesOf(whole, seen)
      const { file, args, shown } = commandLineOf(whole, values)
      const cwd = await startFolder(workingDirectoryOf(whole.run, values))
      const room = roomOf(whole)
      if (room.isOurs) for (const line of shortfalls(room.limits)) console.say(line)
      for (const line of await portTroubles(readableAddressIn(whole.data))) console.say(line)
      console.say(`Starting process: ${shown}`)
      return await environmentOfServer(whole).start({
        key: `${place.id}/main`,
        file,
        args,
        cwd,
        env: environmentVariables(whole.run, values, seen),
        limits: room.limits,
        owner: room.owner,
      })
    },

    askToStop(process) {
      const { stop, stopCode } = definition().run
      if (stopCode) process.signal(stopCode)
      else if (stop) process.write(`${stop}\n`)
      else process.signal(terminate)
    },

    async finish(exit, signal) {
      const { post, expectedExitCode = 0 } = definition().run
      if (!post?.length) return
      console.say('Running post-execution steps')
      const success = exit.signal === null && exit.code === expectedExitCode
      await run(post, signal, [
        ['success', String(success)],
        ['exitCode', exit.code === null ? '' : String(exit.code)],
      ])
    },

    install: (signal) => run(definition().install, signal),
    uninstall: (signal) => run(definition().uninstall, signal),
  }

  /** What of the system a server gets. In a container its engine holds it to the limits. */
  function roomOf(whole: ServerDefinition) {
    const environment = environmentOf(whole)
    const isOurs = environmentTypeOf(environment) !== 'docker'
    return { isOurs, limits: environment.limits ?? {}, owner: place.owner }
  }

  /** The files of the server, which belong to its user from the first time on that something of it runs. */
  async function openFiles(): Promise<RootFs> {
    return await RootFs.open(place.rootDir, { create: true, owner: roomOf(definition()).owner })
  }

  function environmentOfServer(whole: ServerDefinition): Environment {
    const values = valuesOf(whole, seenFromInside(whole, place))
    return environmentFor(environmentOf(whole), { rootDir: place.rootDir, variables: whole.data, values })
  }

  async function run(
    steps: readonly Step[] = [],
    signal: AbortSignal,
    more: readonly (readonly [string, string])[] = [],
  ): Promise<void> {
    await using files = await openFiles()
    if (steps.length === 0) return
    const whole = definition()
    const values = new Map([...valuesOf(whole, seenFromInside(whole, place)), ...more])
    const room: StepRoom = {
      files,
      values,
      stopOnError: isOfNewerFamily(whole),
      say: (message) => console.say(message),
      runCommand: (argv) => runCommand(argv, values, signal),
      fetch,
      signal,
    }
    await runSteps(steps, room).catch((cause: unknown) => {
      if (!(cause instanceof StepFailure)) throw cause
      const { step, type, reason } = cause
      throw new Refusal('ErrStepFailed', { step, type, reason }, { cause })
    })
  }

  async function runCommand(
    argv: readonly string[],
    values: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<Exit> {
    const [file, ...args] = argv
    if (file === undefined) throw new Refusal('ErrFieldRequired', { field: 'command' })
    signal.throwIfAborted()
    const whole = definition()
    const environment = environmentOfServer(whole)
    await environment.prepare?.({ say: (message) => console.say(message), signal })
    const process = await environment.start({
      key: `${place.id}/step`,
      file,
      args,
      cwd: place.rootDir,
      env: environmentVariables(whole.run, values, seenFromInside(whole, place)),
      limits: roomOf(whole).limits,
      owner: roomOf(whole).owner,
    })
    return await attend(process, signal)
  }

  /** Waits for the end of a step's process; an abort ends it. */
  async function attend(process: Run, signal: AbortSignal): Promise<Exit> {
    let killing: Promise<void> | undefined
    const kill = () => {
      killing = process.kill()
      killing.catch((cause: unknown) => console.say(`Failed to end a step: ${String(cause)}`))
    }
    signal.addEventListener('abort', kill)
    if (signal.aborted) kill()
    await console.follow(process, { isNew: true })
    const exit = await process.exited
    signal.removeEventListener('abort', kill)
    process.forget()
    signal.throwIfAborted()
    return exit
  }

  async function startFolder(text: string): Promise<string> {
    try {
      await using files = await openFiles()
      return await files.workingDirectory(parsePath(text))
    } catch (cause) {
      if (cause instanceof Refusal) console.say(`Working directory is invalid for server: ${text}`)
      throw cause
    }
  }
}

function tryRun(definition: () => ServerDefinition): ServerDefinition['run'] | undefined {
  try {
    return definition().run
  } catch (cause) {
    if (cause instanceof Refusal) return undefined
    throw cause
  }
}
