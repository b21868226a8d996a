/** Whether combinations are made with ⌘ here. */
export function hasCommandKey(): boolean {
  return /^(Mac|iP)/.test(navigator.platform)
}
