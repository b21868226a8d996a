/** Whether the keyboard has a ⌘ key, which takes the place of Ctrl in shortcuts. */
export function hasCommandKey(): boolean {
  return /^(Mac|iP)/.test(navigator.platform)
}
