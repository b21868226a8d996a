import { expect, test } from 'vitest'
import { archiveFiles, deleteFile, extractFile, extractFileByGet, isBlankName } from './files.ts'

test.for(['', ' ', '   ', '\u00a0\u3000', '\u200b', '\u2066 \u2069', '\u3164'])('%j is a blank name', (name) => {
  expect(isBlankName(name)).toBe(true)
})

test.for([' a', 'a b', '.', '-', '\u200ba', '日本', '🎮'])('%j is a visible name', (name) => {
  expect(isBlankName(name)).toBe(false)
})

test.each([deleteFile, archiveFiles, extractFile, extractFileByGet])(
  '$method $path has no timeout',
  ({ noTimeout }) => {
    expect(noTimeout).toBe(true)
  },
)
