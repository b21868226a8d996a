import { useEffect } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'
import { useText } from '../i18n/text.tsx'
import { useConfirm } from './confirm.tsx'

/**
 * Asks before unsaved changes are lost by going to another page, and lets the browser ask before the window closes. What
 * is laid over one place of a page, such as a tab, is lost already by going to another place of it.
 */
export function useLeaveGuard(hasChanges: boolean, lostWith: 'page' | 'place' = 'page'): void {
  const text = useText()
  const confirm = useConfirm()
  const blocker = useBlocker(
    ({ currentLocation: { pathname, search }, nextLocation: next }) =>
      hasChanges && (pathname !== next.pathname || (lostWith === 'place' && search !== next.search)),
  )
  useBeforeUnload((event) => {
    if (hasChanges) event.preventDefault()
  })

  useEffect(() => {
    if (blocker.state !== 'blocked') return
    const question = { title: text('common.LeaveTitle'), body: text('common.LeaveBody') }
    void confirm({ ...question, action: text('common.LeaveAction'), danger: true }).then((isWanted) =>
      isWanted ? blocker.proceed() : blocker.reset(),
    )
  }, [blocker, confirm, text])
}
