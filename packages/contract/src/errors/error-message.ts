/** The message of an error for display; of an `AggregateError` without a message, those of its errors. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message || error.name
  return [...new Set(error.errors.map(errorMessage))].join('; ') || error.name
}
