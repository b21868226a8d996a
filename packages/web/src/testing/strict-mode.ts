import { configure } from '@testing-library/react'

/**
 * Renders without `StrictMode` until the end of the test. For tests that count the requests of a page: `StrictMode` mounts
 * twice, and a query whose first request was aborted by that sends it again.
 */
export function disableStrictMode(): void {
  configure({ reactStrictMode: false })
}
