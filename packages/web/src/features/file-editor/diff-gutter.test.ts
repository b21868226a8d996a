import { EditorState, Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import { countChangedLines, diffGutter, setBaselineEffect } from './diff-gutter.ts'

const saved = 'one\ntwo\nthree\nfour'

function opened(text = saved): EditorState {
  const state = EditorState.create({ doc: text, extensions: diffGutter })
  return state.update({ effects: setBaselineEffect.of(state.doc) }).state
}

const replaced = (state: EditorState, old: string, now: string) => {
  const from = state.doc.toString().indexOf(old)
  return state.update({ changes: { from, to: from + old.length, insert: now } }).state
}

test.each<[what: string, edits: [old: string, now: string][], lines: number]>([
  ['nothing', [], 0],
  ['a line', [['two', '2']], 1],
  [
    'two lines far from each other',
    [
      ['one', '1'],
      ['four', '4'],
    ],
    2,
  ],
  [
    'a line and its neighbour',
    [
      ['two', '2'],
      ['three', '3'],
    ],
    2,
  ],
  ['a new line in the middle', [['two\n', 'two\nthen\n']], 1],
  ['a new line after a last one that had no end', [['four', 'four\nfive']], 2],
  ['a line that is gone', [['two\n', '']], 1],
  [
    'a line that was changed and changed back',
    [
      ['two', '2'],
      ['2', 'two'],
    ],
    0,
  ],
  ['everything', [[saved, '']], 4],
])('changed lines are counted: %s', (_, edits, lines) => {
  expect(countChangedLines(edits.reduce((state, [old, now]) => replaced(state, old, now), opened()))).toBe(lines)
})

test('after saving, changes are relative to the saved text', () => {
  const edited = replaced(opened(), 'two', '2')

  const state = edited.update({ effects: setBaselineEffect.of(edited.doc) }).state

  expect(countChangedLines(state)).toBe(0)
  expect(countChangedLines(replaced(state, '2', 'two'))).toBe(1)
})

test('text typed into an empty file is marked as added', () => {
  const state = opened('').update({ changes: { from: 0, insert: 'a\nb' } }).state

  expect(countChangedLines(state)).toBe(2)
})

test('changes can be relative to another text than the one in view', () => {
  const state = opened().update({ effects: setBaselineEffect.of(Text.of(['one', 'two', '3', 'four'])) }).state

  expect(countChangedLines(state)).toBe(1)
})
