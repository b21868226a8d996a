import { expect, onTestFinished, test, vi } from 'vitest'
import { openPart } from '../testing/open-part.tsx'
import { Shortcut } from './shortcut.tsx'

test.for([
  ['MacIntel', ['⌘', 'K']],
  ['iPhone', ['⌘', 'K']],
  ['Linux x86_64', ['Ctrl', 'K']],
  ['Win32', ['Ctrl', 'K']],
] as const)('on %s the keys Mod K are shown as %j', async ([platform, shown]) => {
  const stub = vi.spyOn(navigator, 'platform', 'get').mockReturnValue(platform)
  onTestFinished(() => stub.mockRestore())

  await openPart(<Shortcut keys="Mod K" />)

  expect([...document.querySelectorAll('kbd')].map((key) => key.textContent)).toEqual(shown)
})
