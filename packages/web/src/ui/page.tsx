import { useMediaQuery } from '@mantine/hooks'
import { createContext, type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLocation } from 'react-router'
import classes from './page.module.css'

/** Below this the page is a phone's: a bottom bar, no drawer column. */
export const phoneQuery = '(max-width: 47.99em)'

export function useIsPhone(): boolean {
  return useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false }) ?? false
}

/** What the page tells the frame around it: its title, and where a phone's top bar has room for its actions. */
export interface Layout {
  readonly setTitle: (title: string | undefined) => void
  readonly phoneActions: HTMLElement | null
}
export const LayoutContext = createContext<Layout>({ setTitle: () => undefined, phoneActions: null })

/** The name of the product as its owner calls it; part of every window title. */
export const BrandContext = createContext('Innkeeper')

/** Names the window and the last breadcrumb after the page. */
export function useDocumentTitle(title: string | undefined): void {
  const { setTitle } = use(LayoutContext)
  const brand = use(BrandContext)

  useLayoutEffect(() => {
    document.title = title ? `${title} · ${brand}` : brand
    setTitle(title)
    return () => setTitle(undefined)
  }, [title, brand, setTitle])
}

/** Moves the focus to the title of a page that was navigated to, so that it is read out; not on the first load. */
export function useFocusHeading(title: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  // As it was when the page appeared: later changes of the address, such as a filter's, leave the focus alone.
  const [isFirst] = useState(key === 'default')

  useEffect(() => {
    if (!isFirst) title.current?.focus({ preventScroll: true })
  }, [isFirst, title])
}

interface PageProps {
  /** `list` and `form` scroll as a whole; a `workspace` fills the window and scrolls inside. */
  readonly type?: 'list' | 'form' | 'wizard' | 'workspace'
  /** On a phone the content touches the edges. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Page({ type = 'list', flush = false, children }: PageProps) {
  const names = [classes.page, type === 'list' ? '' : classes[type], flush ? classes.flush : '']
  return <div className={names.filter(Boolean).join(' ')}>{children}</div>
}

interface PageHeaderProps {
  readonly title: string
  /** What window and breadcrumb say where they say more than the head of the page. */
  readonly documentTitle?: string | undefined
  /** At the end of the title row. */
  readonly actions?: ReactNode
  /** In the top bar of a phone instead. */
  readonly phoneActions?: ReactNode
}

/** The title of a page. A phone shows it in the top bar. */
export function PageHeader({ title, documentTitle = title, actions, phoneActions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isPhone = useIsPhone()
  const frame = use(LayoutContext)
  useDocumentTitle(documentTitle)
  useFocusHeading(heading)

  const shown = isPhone ? (phoneActions === undefined ? actions : undefined) : actions
  return (
    <div className={`${classes.head} ${shown ? '' : classes.empty}`} data-keep-clear>
      <h1 ref={heading} tabIndex={-1} className={classes.phoneHidden}>
        {title}
      </h1>
      {shown && <div className={classes.actions}>{shown}</div>}
      {isPhone && phoneActions && frame.phoneActions && createPortal(phoneActions, frame.phoneActions)}
    </div>
  )
}
