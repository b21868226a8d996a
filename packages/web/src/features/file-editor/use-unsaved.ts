import { useCallback, useEffect, useRef, useState } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'

/** Keeps unsaved changes from being lost: closing, going Back and leaving the site all ask first. */
export function useUnsaved(hasChanges: boolean, onClose: () => void) {
  const [isAsking, setIsAsking] = useState(false)
  // Closing may itself go to another address: that was asked for already.
  const isLeaving = useRef(false)
  const latest = useRef({ hasChanges, onClose })
  latest.current = { hasChanges, onClose }
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const isElsewhere =
      currentLocation.pathname !== nextLocation.pathname || currentLocation.search !== nextLocation.search
    return hasChanges && isElsewhere && !isLeaving.current
  })
  useBeforeUnload((event) => {
    if (hasChanges) event.preventDefault()
  })
  useEffect(() => {
    if (blocker.state === 'blocked') setIsAsking(true)
  }, [blocker.state])

  const askToClose = useCallback(() => {
    if (latest.current.hasChanges) return setIsAsking(true)
    isLeaving.current = true
    latest.current.onClose()
  }, [])
  return {
    isAsking,
    askToClose,
    /** Whether the person has said that it may close. */
    isLeaving: () => isLeaving.current,
    /** Goes where the person was going, whatever is unsaved. */
    leave: () => {
      isLeaving.current = true
      setIsAsking(false)
      if (blocker.state === 'blocked') blocker.proceed()
      else onClose()
    },
    stay: () => {
      setIsAsking(false)
      if (blocker.state === 'blocked') blocker.reset()
    },
  }
}
