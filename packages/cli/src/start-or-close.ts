import type { Logger } from 'pino'

/** Runs `start`. When it fails, closes the parts that are open by then and throws its error, even if closing fails too. */
export async function startOrClose<T>(parts: AsyncDisposableStack, log: Logger, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await parts.disposeAsync().catch((cause: unknown) => {
      log.error({ err: cause }, 'what had been started could not be closed')
    })
    throw error
  }
}
