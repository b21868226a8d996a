import { act } from '@testing-library/react'
import { onTestFinished, vi } from 'vitest'

/** Hides the tab until the end of the test. */
export function hideTab(): void {
  setHidden(true)
  onTestFinished(() => setHidden(false))
}

function setHidden(isHidden: boolean): void {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden)
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isHidden ? 'hidden' : 'visible')
  act(() => {
    for (const target of [document, window]) target.dispatchEvent(new Event('visibilitychange'))
  })
}
