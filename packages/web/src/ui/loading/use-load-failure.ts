import { TimeoutError, viewLoadTimeoutMs } from '../../api/timeout.ts'
import { stopKeyCapture } from '../../hotkeys/key-capture.ts'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../toasts/toast.tsx'

/**
 * Returns a function for code that could not be loaded when the user opened an overlay or a menu: a toast says so and
 * offers `retry`, if given, and keys reach the page again.
 */
export function useReportLoadFailure(): (error: unknown, retry?: () => void) => void {
  const t = useT()
  return (error, retry) => {
    console.error(error)
    stopKeyCapture()
    const count = viewLoadTimeoutMs / 60_000
    toast.error(t('errors.OverlayFailed'), {
      detail: error instanceof TimeoutError ? t('errors.ViewTimeout', { count }) : t('errors.CheckConnection'),
      ...(retry && { action: { label: t('common.TryAgain'), run: retry } }),
    })
  }
}
