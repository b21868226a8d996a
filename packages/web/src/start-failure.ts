/** Shows that the app could not start, with a retry button. In English, because the catalogs could not be loaded. */
export function showStartFailure(root: HTMLElement): void {
  const message = document.createElement('p')
  message.setAttribute('role', 'alert')
  message.textContent = 'This page could not be loaded. Check your connection and try again.'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Try again'
  button.addEventListener('click', () => location.reload())
  const failure = document.createElement('main')
  failure.style.cssText = 'padding: 2rem; font: 1rem/1.5 system-ui, sans-serif'
  failure.append(message, button)
  root.replaceChildren(failure)
}
