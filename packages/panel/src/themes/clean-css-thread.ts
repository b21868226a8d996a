import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { ThemeError } from '@innkeeper/contract/theme/theme-error'
import type { CleanCss } from './clean-css.ts'
import type { CleanCssAnswer, CleanCssRequest } from './clean-css-worker.ts'

const timeoutMs = 20_000

/**
 * Sanitizes the CSS of a theme in a thread: it takes up to a second, for which all requests to the panel would wait. One at
 * a time. @throws ThemeError
 */
export async function cleanCssInThread(css: string, assets: readonly string[]): Promise<CleanCss> {
  return await withLock([cleanCssInThread], () => run({ css, assets }))
}

async function run(request: CleanCssRequest): Promise<CleanCss> {
  await using worker = new Worker(new URL('./clean-css-worker.ts', import.meta.url), {
    workerData: request,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const timeout = AbortSignal.timeout(timeoutMs)
  const answering = once(worker, 'message', { signal: timeout })
  const [answer] = (await answering.catch((error: unknown) => {
    throw timeout.aborted ? new ThemeError('cssTooComplex') : error
  })) as [CleanCssAnswer]
  if ('clean' in answer) return answer.clean
  throw new ThemeError(answer.error.problem, answer.error.detail)
}
