import { Group, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { createContext, type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLocation } from 'react-router'
import { setTabTitle } from '../../theme/browser-tab.ts'
import classes from './page.module.css'

/** Windows of this width get the phone layout. */
export const phoneQuery = '(max-width: 47.99em)'

export function useIsPhone(): boolean {
  return useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false }) ?? false
}

/** The title of a page, and the part of the page that is shown: the last breadcrumbs. */
export interface PageTitle {
  readonly title: string
  readonly section: string | undefined
}

/** Elements of a phone's top bar that pages render into. */
export interface PhoneSlots {
  readonly actions: HTMLElement | null
  /** Below the title. */
  readonly subtitle: HTMLElement | null
}

/** Shared by a page with the shell. */
export interface Layout {
  readonly setTitle: (title: PageTitle | undefined) => void
  readonly phoneSlots: PhoneSlots
}
export const LayoutContext = createContext<Layout>({
  setTitle: () => undefined,
  phoneSlots: { actions: null, subtitle: null },
})

/** The configured name of the panel, part of every document title. */
export const BrandContext = createContext('Innkeeper')

/** Sets the document title and the last breadcrumbs. */
export function useDocumentTitle(title: string | undefined, section?: string): void {
  const { setTitle } = use(LayoutContext)
  const brand = use(BrandContext)

  useLayoutEffect(() => {
    setTabTitle(title ? `${title} · ${brand}` : brand)
    setTitle(title === undefined ? undefined : { title, section })
    return () => setTitle(undefined)
  }, [title, section, brand, setTitle])
}

/** After navigation, focuses the heading of the new page so that screen readers announce it. Not on the first load. */
export function useFocusHeading(title: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  // Read once: later changes of the location, such as a filter's, must not move the focus.
  const [isFirst] = useState(key === 'default')

  useEffect(() => {
    if (!isFirst) title.current?.focus({ preventScroll: true })
  }, [isFirst, title])
}

interface PageProps {
  /**
   * A `list` has the width of the window, a `form` a fixed one; a `wideForm` has a second column. They scroll as a whole. A
   * `workspace` fills the window and scrolls inside.
   */
  readonly type?: 'list' | 'form' | 'wideForm' | 'workspace'
  /** Without padding on a phone. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Page({ type = 'list', flush = false, children }: PageProps) {
  const names = [classes.page, type === 'list' ? '' : classes[type], flush ? classes.flush : '']
  return <div className={names.filter(Boolean).join(' ')}>{children}</div>
}

interface PageHeaderProps {
  readonly title: string
  /** Title of window and breadcrumb, if different. */
  readonly documentTitle?: string | undefined
  /** Beside the title; on a phone at the start of the page. */
  readonly badges?: ReactNode
  /** At the end of the title row. */
  readonly actions?: ReactNode
  /** Shown in the top bar of a phone instead of `actions`. */
  readonly phoneActions?: ReactNode
}

/** The title and actions of a page. On a phone the title is in the top bar. */
export function PageHeader({ title, documentTitle = title, badges, actions, phoneActions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isPhone = useIsPhone()
  const layout = use(LayoutContext)
  useDocumentTitle(documentTitle)
  useFocusHeading(heading)

  const shown = isPhone ? (phoneActions === undefined ? actions : undefined) : actions
  return (
    <Group className={shown || badges ? undefined : classes.emptyHeader} gap="sm" mih={36} data-keep-clear>
      <Title
        ref={heading}
        order={1}
        tabIndex={-1}
        className={classes.title}
        data-has-badges={badges ? true : undefined}
      >
        {title}
      </Title>
      {badges && (
        <Group gap="xs" me="auto">
          {badges}
        </Group>
      )}
      {shown && <Group gap="xs">{shown}</Group>}
      {isPhone && phoneActions && layout.phoneSlots.actions && createPortal(phoneActions, layout.phoneSlots.actions)}
    </Group>
  )
}
