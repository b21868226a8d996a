/** Clicks a link with `download`: unlike `location.href` it stays on the page if it fails, and asks about nothing. */
export function downloadUrl(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
