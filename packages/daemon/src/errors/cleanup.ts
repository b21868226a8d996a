/** Calls `undo` with the error when an operation fails, and then throws it. */
export async function withRollback<T>(operation: Promise<T>, undo: (error: unknown) => unknown): Promise<T> {
  return await operation.catch(async (error: unknown) => {
    await undo(error)
    throw error
  })
}

/** Closes a resource when its use fails. Otherwise it stays open, and the caller of this function owns it. */
export async function closeOnError<R extends AsyncDisposable, T>(
  resource: R,
  use: (resource: R) => Promise<T>,
): Promise<T> {
  return await withRollback(use(resource), () => resource[Symbol.asyncDispose]())
}
