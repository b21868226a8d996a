import { type ComponentType, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { loadCode } from '../api/load-code.ts'
import {
  type Blocker,
  getHistoryPosition,
  type Navigation,
  NavigationContext,
  type PageLocation,
} from '../ui/navigation.tsx'
import { authScreens } from './auth-screens.ts'

/** A page before sign-in, or all pages with their router. */
export interface View {
  readonly content: ReactNode
  /** Undefined for the router, which has its own. */
  readonly location?: PageLocation
}

/** Loads what the address of the window shows. A page before sign-in needs no router, which is large. */
export async function loadView(): Promise<View> {
  const loadScreen = authScreens[window.location.pathname]
  if (!loadScreen) return { content: await (await loadRoutes()).openRouter() }
  return { content: await loadAuthPage(loadScreen), location: readLocation(true) }
}

async function loadAuthPage(loadScreen: () => Promise<ComponentType>): Promise<ReactNode> {
  const [{ AuthFrame }, Screen] = await Promise.all([loadCode(() => import('./auth-frame.tsx')), loadCode(loadScreen)])
  return (
    <AuthFrame>
      <Screen />
    </AuthFrame>
  )
}

const loadRoutes = () => loadCode(() => import('./routes.tsx'))

function readLocation(isFirst: boolean): PageLocation {
  const { pathname, search, hash } = window.location
  return { pathname, search, hash, isFirst }
}

/** Shows the pages before sign-in; when another page is opened, the router takes over for as long as the app is open. */
export function Pages({ first }: { readonly first: View }) {
  const [view, setView] = useState(first)
  if (!view.location) return view.content
  return (
    <AuthNavigation location={view.location} onNavigate={setView}>
      {view.content}
    </AuthNavigation>
  )
}

interface AuthNavigationProps {
  readonly location: PageLocation
  readonly onNavigate: (view: View) => void
  readonly children: ReactNode
}

/** Navigation of the pages before sign-in. As with the router, a page stays visible while the code of the next one is loaded. */
function AuthNavigation({ location, onNavigate, children }: AuthNavigationProps) {
  // Only the latest navigation is completed, and none after that to the router.
  const latest = useRef(0)
  const isLeaving = useRef(false)
  const blocker = useRef<Blocker>(undefined)

  const open = useCallback(
    async (path: string, replace?: boolean) => {
      const target = new URL(path, window.location.origin)
      const canLeave = await (blocker.current?.(window.location, target) ?? true)
      if (isLeaving.current || !canLeave) return
      const id = ++latest.current
      const loadScreen = authScreens[target.pathname]
      try {
        if (!loadScreen) {
          isLeaving.current = true
          const { openRouter } = await loadRoutes()
          return onNavigate({ content: await openRouter(path, replace) })
        }
        const content = await loadAuthPage(loadScreen)
        if (id !== latest.current) return
        const position = getHistoryPosition() + (replace ? 0 : 1)
        window.history[replace ? 'replaceState' : 'pushState']({ position }, '', path)
        onNavigate({ content, location: readLocation(false) })
      } catch (error) {
        console.error(error)
        // Mostly a newer version was installed while this page was open: the browser loads the page from it.
        window.location.assign(path)
      }
    },
    [onNavigate],
  )
  useEffect(() => {
    // The browser went back or forward: the address has already changed.
    const follow = () => {
      const { pathname, search, hash } = window.location
      void open(pathname + search + hash, true)
    }
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [open])

  const navigation = useMemo<Navigation>(
    () => ({
      location,
      navigate: (path, options) => void open(path, options?.replace),
      blocker,
    }),
    [location, open],
  )
  return <NavigationContext value={navigation}>{children}</NavigationContext>
}
