import type { TranslationKey } from '../i18n/i18n.tsx'

/** What the shell knows about a page. */
export interface RouteHandle {
  /** The breadcrumb before the page, and where a phone's back button leads. */
  readonly parent?: { readonly path: string; readonly title: TranslationKey }
  readonly hasOwnBottomBar?: boolean
  /** The page shows by itself that the panel is unreachable. */
  readonly showsUnreachable?: boolean
}
