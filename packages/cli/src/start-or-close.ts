import type { Logger } from 'pino'

/** Runs `start`. When it fails, closes the parts that are open and throws its error, also when closing fails. */
export async function startOrClose<T>(parts: AsyncDisposableStack, log: Logger, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await parts.disposeAsync().catch((cause: unknown) => {
      log.error({ err: cause }, 'a part could not be closed after a failed start')
    })
    throw error
  }
}
