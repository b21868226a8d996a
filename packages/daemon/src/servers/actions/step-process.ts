import type { Console, OutputSource } from '../../console/console.ts'
import type { Exit, Run } from '../../processes/run.ts'

/** The key of a step's process. Several tasks may run at the same time. */
export function stepProcessKey(server: string, task?: string): string {
  return `${server}/${task === undefined ? 'step' : `task-${task}`}`
}

/** The key of the processes of a copy of a server. */
export function copyProcessKey(server: string): string {
  return `${server}/copy`
}

/** Whether a run is the process of a step or of a copy. It has no owner after a restart of the daemon. */
export function isStepProcess({ key }: Pick<Run, 'key'>): boolean {
  return /\/(step|copy|task-[^/]*)$/.test(key)
}

export interface WaitOptions {
  readonly console: Pick<Console, 'say' | 'follow'>
  readonly signal: AbortSignal
  /** Receives the output too. The bytes are valid only during the call. */
  readonly print?: ((data: Uint8Array) => void) | undefined
}

/** Shows the output of a step's process until it exits; kills it on abort. */
export async function waitForExit(process: Run, { console, signal, print }: WaitOptions): Promise<Exit> {
  let killing: Promise<void> | undefined
  const kill = () => {
    killing = process.kill()
    killing.catch((cause: unknown) => console.say(`Failed to kill a step: ${String(cause)}`))
  }
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  await console.follow(print ? teeOutput(process, print) : process, { isNew: true })
  const exit = await process.exited
  signal.removeEventListener('abort', kill)
  process.release()
  signal.throwIfAborted()
  return exit
}

/** Wraps a run so that `print` receives its output too. */
function teeOutput(run: Run, print: (data: Uint8Array) => void): OutputSource {
  return {
    id: run.id,
    key: run.key,
    exited: run.exited,
    acknowledge: (offset) => run.acknowledge(offset),
    onNotice: (say) => run.onNotice?.(say),
    follow: (offset, onOutput) =>
      run.follow(offset, (data, from) => {
        print(data)
        onOutput(data, from)
      }),
  }
}
