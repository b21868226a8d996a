import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createI18n, I18nProvider } from '../../i18n/i18n.tsx'
import { ConsoleBuffer } from './buffer.ts'
import { LogList } from './log-list.tsx'

afterEach(() => vi.restoreAllMocks())

async function renderList(
  buffer: ConsoleBuffer,
  onFollow: (following: boolean) => void = () => undefined,
  hidesDoubleTimes = false,
) {
  render(
    <MantineProvider env="test">
      <I18nProvider i18n={await createI18n('en_US')}>
        <LogList
          lines={buffer}
          isFollowing
          onFollowChange={onFollow}
          preferences={{
            wrap: true,
            timestamps: true,
            fontSize: 13,
            hidesDoubleTimes,
            readAloud: false,
            sidebar: false,
          }}
          searchIndex={undefined}
          current={undefined}
          scrollerRef={createRef<HTMLDivElement>()}
        />
      </I18nProvider>
    </MantineProvider>,
  )
}

test('a last line that is higher than estimated is measured once', async () => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ height: 60, width: 300 } as DOMRect)
  const buffer = new ConsoleBuffer()
  buffer.write('[DAEMON] Starting process\n', 1)

  await renderList(buffer)

  expect(screen.getByText('Starting process')).toBeDefined()
})

test('only visible lines are in the DOM, the newest at the end', async () => {
  const buffer = new ConsoleBuffer()
  for (let number = 0; number < 5_000; number++) buffer.write(`line ${number}\n`, 1)

  await renderList(buffer)

  const rows = [...document.querySelectorAll('[data-line]')]
  expect(rows.length).toBeLessThan(80)
  expect(rows.at(-1)?.textContent).toContain('line 4999')
})

test('lines that begin with a time of their own show no other, and polled lines none at all', async () => {
  const buffer = new ConsoleBuffer()
  buffer.write('\x1b[36m[12:00:00 INFO]\x1b[0m joined\n[2026-11-24 12:00:01] left\nAt 12:00:02 it rains\n', 1)
  buffer.write('polled\n', undefined)

  await renderList(buffer, undefined, true)

  const hasTime = [...document.querySelectorAll('[data-line]')].map((row) => row.querySelector('time') !== null)
  expect(hasTime).toEqual([false, false, true, false])
})

test('times have their day when the oldest line is from another day', async () => {
  const [today, earlier] = [new ConsoleBuffer(), new ConsoleBuffer()]
  today.write('now\n', Date.now() / 1000)
  earlier.write('before\n', new Date(2026, 0, 2, 18, 2, 3).getTime() / 1000)
  earlier.write('now\n', new Date(2026, 0, 3, 9, 8, 7).getTime() / 1000)

  await renderList(today)
  await renderList(earlier)

  const [time, ...others] = [...document.querySelectorAll('time')].map(({ textContent }) => textContent)
  expect(time).toMatch(/^\d+:\d\d:\d\d.[AP]M$/)
  expect(others.join()).toMatch(/^Jan 2, 6:02:03.PM,Jan 3, 9:08:07.AM$/)
})

test('selecting text stops following new output', async () => {
  const buffer = new ConsoleBuffer()
  buffer.write('one\ntwo\n', 1)
  const onFollow = vi.fn()
  await renderList(buffer, onFollow)

  document.getSelection()?.selectAllChildren(screen.getByText('two'))
  document.dispatchEvent(new Event('selectionchange'))

  expect(onFollow).toHaveBeenCalledWith(false)
})
