/** Hands a text to the browser as a file to keep. */
export function saveAsFile(name: string, text: string | Blob): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
