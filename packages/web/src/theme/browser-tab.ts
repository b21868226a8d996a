/** The title and icon of the browser's tab. */

export type TabNotice = 'success' | 'error'

const defaultIcon = '/lantern.svg'
const noticeIcons: Readonly<Record<TabNotice, string>> = { success: '/tab-success.svg', error: '/tab-error.svg' }

let title = ''
let icon = defaultIcon
let notice: { readonly type: TabNotice; readonly text: string } | undefined

export function setTabTitle(text: string): void {
  title = text
  render()
}

/** Sets the icon; `undefined` is the default one. */
export function setTabIcon(url: string | undefined): void {
  icon = url ?? defaultIcon
  render()
}

/** Shows in the title and icon of a tab in the background what happened, until the user looks at it. An error is kept. */
export function notifyInTab(type: TabNotice, text: string): void {
  if (!document.hidden || (notice?.type === 'error' && type === 'success')) return
  notice = { type, text }
  render()
  document.addEventListener('visibilitychange', clearNotice)
}

function clearNotice(): void {
  if (document.hidden) return
  document.removeEventListener('visibilitychange', clearNotice)
  notice = undefined
  render()
}

function render(): void {
  document.title = notice ? `${notice.text} · ${title}` : title
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (link) link.setAttribute('href', notice ? noticeIcons[notice.type] : icon)
}
