import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createI18n, I18nProvider } from '../../i18n/i18n.tsx'
import { ConsoleBuffer } from './buffer.ts'
import { LogList } from './log-list.tsx'

afterEach(() => vi.restoreAllMocks())

async function shown(buffer: ConsoleBuffer, onFollow: (following: boolean) => void = () => undefined) {
  render(
    <MantineProvider env="test">
      <I18nProvider texts={await createI18n('en_US')}>
        <LogList
          lines={buffer}
          following
          onFollow={onFollow}
          wrap
          timestamps
          fontSize={13}
          lineHeight={20}
          finder={undefined}
          current={undefined}
          scroller={createRef<HTMLDivElement>()}
        />
      </I18nProvider>
    </MantineProvider>,
  )
}

test('a last line that turns out higher than believed is measured once', async () => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ height: 60, width: 300 } as DOMRect)
  const buffer = new ConsoleBuffer()
  buffer.write('[DAEMON] Starting process\n', 1)

  await shown(buffer)

  expect(screen.getByText('Starting process')).toBeDefined()
})

test('of many lines only those in sight exist, the newest at the end', async () => {
  const buffer = new ConsoleBuffer()
  for (let number = 0; number < 5_000; number++) buffer.write(`line ${number}\n`, 1)

  await shown(buffer)

  const rows = [...document.querySelectorAll('[data-line]')]
  expect(rows.length).toBeLessThan(80)
  expect(rows.at(-1)?.textContent).toContain('line 4999')
})

test('a reader who selects text is not carried away', async () => {
  const buffer = new ConsoleBuffer()
  buffer.write('one\ntwo\n', 1)
  const onFollow = vi.fn()
  await shown(buffer, onFollow)

  document.getSelection()?.selectAllChildren(screen.getByText('two'))
  document.dispatchEvent(new Event('selectionchange'))

  expect(onFollow).toHaveBeenCalledWith(false)
})
