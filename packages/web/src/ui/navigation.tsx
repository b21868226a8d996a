import { type ComponentProps, createContext, type MouseEvent, type RefObject, use, useEffect } from 'react'

/** The address of the shown page. */
export interface PageLocation {
  readonly pathname: string
  readonly search: string
  readonly hash: string
  /** No other page was opened before. */
  readonly isFirst: boolean
}

export interface Navigation {
  readonly location: PageLocation
  /** Opens a page of this app. `replace` leaves no entry of the current one in the history. */
  readonly navigate: (path: string, options?: { readonly replace?: boolean }) => void
  /** Is asked about each navigation. */
  readonly blocker: RefObject<Blocker | undefined>
}

type Target = Pick<PageLocation, 'pathname' | 'search'>

/**
 * Can keep the user on a page, also when the browser goes back or forward: returns undefined when the page can be left, or
 * asks. The answer is whether to leave.
 */
export type Blocker = (from: Target, to: Target) => Promise<boolean> | undefined

/** The position of the current entry of the history among those of the pages before sign-in. */
export const getHistoryPosition = (): number => history.state?.position ?? 0

/**
 * The navigation of React Router, or of the pages before sign-in while it is not loaded: it is large. Code that those pages use
 * takes links and the location from here; all other code takes them from React Router.
 */
export const NavigationContext = createContext<Navigation | undefined>(undefined)

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext)
  if (!navigation) throw new Error('links and the location need a NavigationContext')
  return navigation
}

export function useLocation(): PageLocation {
  return useNavigation().location
}

export function useSearchParams(): URLSearchParams {
  return new URLSearchParams(useLocation().search)
}

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** The path of a page of this app. */
  readonly to: string
  readonly replace?: boolean
}

export function Link({ to, replace = false, onClick, ...props }: LinkProps) {
  const { navigate } = useNavigation()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // With a modifier key or another button the browser opens a tab or window, or downloads.
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    navigate(to, { replace })
  }
  return <a {...props} href={to} onClick={open} />
}

/** Opens another page in place of this one. */
export function Redirect({ to }: { readonly to: string }): null {
  const { navigate } = useNavigation()
  useEffect(() => navigate(to, { replace: true }), [navigate, to])
  return null
}
