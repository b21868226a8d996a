import { createContext } from 'react'

/** Shows an error to the user. `retry` repeats the request, where that is safe. */
export type ShowError = (error: unknown, retry?: () => void) => void

/** Provided by the app. */
export const ShowErrorContext = createContext<ShowError>(() => undefined)
