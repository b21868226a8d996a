import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { openTexts, TextProvider } from '../../i18n/text.tsx'
import { ConsoleBuffer } from './buffer.ts'
import { LogList } from './log-list.tsx'

afterEach(() => vi.restoreAllMocks())

test('a last line that turns out higher than believed is measured once', async () => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ height: 60, width: 300 } as DOMRect)
  const buffer = new ConsoleBuffer()
  buffer.write('[DAEMON] Starting process\n', 1)

  render(
    <MantineProvider env="test">
      <TextProvider texts={await openTexts('en_US')}>
        <LogList
          lines={buffer}
          following
          onFollow={() => undefined}
          wrap
          timestamps
          fontSize={13}
          lineHeight={20}
          finder={undefined}
          current={undefined}
          scroller={createRef<HTMLDivElement>()}
        />
      </TextProvider>
    </MantineProvider>,
  )

  expect(screen.getByText('Starting process')).toBeDefined()
})
