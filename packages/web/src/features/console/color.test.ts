import { expect, test } from 'vitest'
import { restyled } from './ansi.ts'
import { contrast, grounds, paint, readable, type Scheme } from './color.ts'

test('colours of the palette are the theme’s', () => {
  expect(paint({ color: 1 }, 'dark')).toEqual({ color: 'var(--ik-ansi-red)' })
  expect(paint({ color: 12 }, 'light')).toEqual({ color: 'var(--ik-ansi-bright-blue)' })
  expect(paint({ bold: true }, 'dark')).toEqual({})
})

test('a colour that cannot be read is moved until it can', () => {
  const { background } = grounds.dark

  expect(contrast(readable([0, 0, 60], background), background)).toBeGreaterThanOrEqual(4.5)
  expect(readable([255, 200, 0], background)).toEqual([255, 200, 0])
})

test.each(['dark', 'light'] as const)(
  'every colour can be read on every background in the %s scheme',
  (scheme: Scheme) => {
    const numbers = (text = ''): [number, number, number] => {
      const parts = /(\d+) (\d+) (\d+)/.exec(text) ?? []
      return [Number(parts[1]), Number(parts[2]), Number(parts[3])]
    }
    for (let color = 0; color < 256; color += 5) {
      for (let background = 0; background < 256; background += 5) {
        const painted = paint(restyled({}, `38;5;${color};48;5;${background}`), scheme)
        expect(contrast(numbers(painted.color), numbers(painted.backgroundColor))).toBeGreaterThanOrEqual(4.5)
      }
    }
  },
)

test('inverse changes text and background, also of text without a colour', () => {
  expect(paint({ inverse: true }, 'dark')).toEqual({
    color: `rgb(${grounds.dark.background.join(' ')})`,
    backgroundColor: `rgb(${grounds.dark.text.join(' ')})`,
  })
})
