import { Refusal } from '@innkeeper/contract/errors/refusals'
import { z } from 'zod'
import { totalTimeoutMs } from '../../network/fetch.ts'
import { type Engine, EngineError, isMissing } from './engine.ts'

/** An image pull without progress fails after this time. */
const pullIdleTimeoutMs = 120_000

/** Progress is printed at most once in this interval. */
const progressIntervalMs = 2_000

interface PullOptions {
  readonly say: (message: string) => void
  readonly signal: AbortSignal
}

/** Pulls an image when the engine does not have it. Throws `ErrImageUnavailable`. */
export async function ensureImage(engine: Engine, image: string, options: PullOptions): Promise<void> {
  try {
    await engine.request((docker) => docker.getImage(image).inspect(), { signal: options.signal })
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    await pull(engine, image, options)
  }
}

/** Pulls an image, also when it exists. */
export async function pull(engine: Engine, image: string, { say, signal }: PullOptions): Promise<void> {
  say(`Downloading image for container, please wait: ${image}`)
  const idle = new AbortController()
  const onIdle = () => idle.abort(new Error('no data received'))
  let timer = setTimeout(onIdle, pullIdleTimeoutMs)
  const progress = new LayerProgress(say)
  try {
    // The signal also ends the stream, and with it the download.
    const stream = await engine.request((docker, abortSignal) => docker.pull(image, { abortSignal }), {
      withinMs: totalTimeoutMs,
      signal: AbortSignal.any([signal, idle.signal]),
    })
    for await (const line of readLines(stream)) {
      clearTimeout(timer)
      timer = setTimeout(onIdle, pullIdleTimeoutMs)
      progress.update(line)
    }
    say('Downloaded image for container')
  } catch (cause) {
    signal.throwIfAborted()
    const reason = idle.signal.aborted ? idle.signal.reason : cause
    if (reason instanceof Refusal) throw reason
    if (!(reason instanceof Error)) throw cause
    const words = reason instanceof EngineError || reason === idle.signal.reason ? reason.message : String(reason)
    throw new Refusal('ErrImageUnavailable', { image, reason: words }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

async function* readLines(stream: NodeJS.ReadableStream): AsyncGenerator<unknown> {
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
}

const Line = z.looseObject({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).nullish(),
})

const done = ['Pull complete', 'Already exists']

/** Prints the progress of the layers periodically. Throws errors in the stream. */
export class LayerProgress {
  readonly #say: (message: string) => void
  readonly #now: () => number
  readonly #layers = new Map<string, { current: number; total: number; isDone: boolean }>()
  #reportedAt: number
  #reported = ''

  constructor(say: (message: string) => void, now = () => performance.now()) {
    this.#say = say
    this.#now = now
    this.#reportedAt = now()
  }

  update(input: unknown): void {
    const { id, status = '', error, progressDetail } = Line.parse(input)
    if (error !== undefined) throw new EngineError(500, error)
    const isLayer =
      id !== undefined && (progressDetail !== undefined || done.includes(status)) && !/^Pulling from/.test(status)
    if (!isLayer) return
    const before = this.#layers.get(id) ?? { current: 0, total: 0, isDone: false }
    const isLoading = status === 'Downloading'
    this.#layers.set(id, {
      current: isLoading ? (progressDetail?.current ?? before.current) : before.current,
      total: isLoading ? (progressDetail?.total ?? before.total) : before.total,
      isDone: before.isDone || done.includes(status),
    })
    this.#report()
  }

  #report(): void {
    if (this.#now() - this.#reportedAt < progressIntervalMs) return
    const layers = [...this.#layers.values()]
    const sum = (pick: (layer: { current: number; total: number }) => number) =>
      Math.round(layers.reduce((total, layer) => total + pick(layer), 0) / 1024 ** 2)
    const text = `${layers.filter(({ isDone }) => isDone).length} of ${layers.length} layers, ${sum(({ current }) => current)} of ${sum(({ total }) => total)} MiB`
    if (text === this.#reported) return
    this.#reported = text
    this.#reportedAt = this.#now()
    this.#say(`Downloading image: ${text}`)
  }
}
