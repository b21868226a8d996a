import { screen } from '@testing-library/react'
import { type RefObject, useRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { moveInGrid, moveInToolbar } from './move-in-grid.ts'
import { findControls, moveInList, useArrowFocus } from './use-arrow-focus.ts'

const lengths = [13, 11, 13]
const press = (key: string, ctrlKey = false) => ({ key, ctrlKey })

afterEach(() => {
  document.documentElement.dir = 'ltr'
})

test.each([
  ['ArrowRight', { row: 0, column: 3 }, { row: 0, column: 4 }],
  ['ArrowLeft', { row: 0, column: 0 }, { row: 0, column: 0 }],
  ['ArrowDown', { row: 0, column: 2 }, { row: 1, column: 2 }],
  ['ArrowDown', { row: 0, column: 12 }, { row: 1, column: 10 }],
  ['ArrowUp', { row: 0, column: 2 }, { row: 0, column: 2 }],
  ['Home', { row: 2, column: 5 }, { row: 2, column: 0 }],
  ['End', { row: 1, column: 5 }, { row: 1, column: 10 }],
])('in a grid %s stays in its row or column', (key, from, to) => {
  expect(moveInGrid(press(key), from, lengths)).toEqual(to)
})

test('in a grid Ctrl+Home and Ctrl+End move to the corners', () => {
  expect(moveInGrid(press('Home', true), { row: 1, column: 5 }, lengths)).toEqual({ row: 0, column: 0 })
  expect(moveInGrid(press('End', true), { row: 1, column: 5 }, lengths)).toEqual({ row: 2, column: 12 })
})

test.each([
  ['ArrowDown', 3, 4],
  ['ArrowUp', 0, 0],
  ['PageDown', 3, 13],
  ['PageUp', 3, 0],
  ['Home', 3, 0],
  ['End', 3, 19],
])('in a list %s moves from row %i to row %i, to its main control', (key, from, to) => {
  const rows = Array.from({ length: 20 }, () => 4)

  expect(moveInList(press(key), { row: from, column: 2 }, rows)).toEqual({ row: to })
})

test('in a toolbar the ends are neighbors, and up and down do nothing', () => {
  expect(moveInToolbar(press('ArrowRight'), { row: 0, column: 4 }, [5])).toEqual({ row: 0, column: 0 })
  expect(moveInToolbar(press('ArrowLeft'), { row: 0, column: 0 }, [5])).toEqual({ row: 0, column: 4 })
  expect(moveInToolbar(press('ArrowDown'), { row: 0, column: 0 }, [5])).toBeUndefined()
})

const moves = [
  ['list', moveInList],
  ['grid', moveInGrid],
  ['toolbar', moveInToolbar],
] as const

test.each(moves)('in a right-to-left language the arrows of a %s are mirrored', (_, move) => {
  document.documentElement.dir = 'rtl'

  expect(move(press('ArrowLeft'), { row: 0, column: 1 }, [5])).toEqual({ row: 0, column: 2 })
  expect(move(press('ArrowRight'), { row: 0, column: 1 }, [5])).toEqual({ row: 0, column: 0 })
})

test.each(moves)('in a %s other keys are not handled', (_, move) => {
  expect(move(press(' '), { row: 0, column: 3 }, lengths)).toBeUndefined()
})

interface ListProps {
  readonly move: typeof moveInList
  readonly onRange?: (from: number, to: number) => void
  readonly onSelect?: (row: number) => void
}

/** Three rows: a checkbox, a link, which is the main control, and a button that is disabled in the second row. */
function List({ move, onRange, onSelect }: ListProps) {
  const root: RefObject<HTMLUListElement | null> = useRef(null)
  const onKeyDown = useArrowFocus({
    move,
    root,
    getRows: (list) => findControls(list, 'li', 'input, a, button'),
    ...(onRange ? { onRange } : {}),
    hotkeys: { group: 'List', ...(onSelect ? { onSelect } : {}) },
  })
  return (
    <ul ref={root} onKeyDown={onKeyDown}>
      {[0, 1, 2].map((row) => (
        <li key={row}>
          <input aria-label={`Select ${row}`} type="checkbox" />
          <a href={`#${row}`} data-main>{`Row ${row}`}</a>
          <button type="button" disabled={row === 1}>{`Edit ${row}`}</button>
        </li>
      ))}
    </ul>
  )
}

const focused = () => document.activeElement?.ariaLabel ?? document.activeElement?.textContent

test('up and down focus the main controls of the rows of a list, left and right the controls of a row', async () => {
  const { user } = await openPart(<List move={moveInList} />)
  screen.getByLabelText('Select 0').focus()

  await user.keyboard('{ArrowDown}')
  expect(focused()).toBe('Row 1')
  await user.keyboard('{ArrowLeft}')
  expect(focused()).toBe('Select 1')
  document.documentElement.dir = 'rtl'
  await user.keyboard('{ArrowLeft}')
  expect(focused()).toBe('Row 1')
  await user.keyboard('{End}')
  expect(focused()).toBe('Row 2')
})

test('a control that cannot take the focus is skipped', async () => {
  const { user } = await openPart(<List move={moveInToolbar} />)
  screen.getByText('Row 1').focus()

  await user.keyboard('{ArrowRight}')
  expect(focused()).toBe('Row 1')
  screen.getByText('Row 0').focus()
  await user.keyboard('{ArrowRight}')
  expect(focused()).toBe('Edit 0')
})

test('j and k move between rows from anywhere, x selects the row with the focus', async () => {
  const onSelect = vi.fn()
  const { user } = await openPart(<List move={moveInList} onSelect={onSelect} />)

  await user.keyboard('jj')
  expect(focused()).toBe('Row 1')
  await user.keyboard('k')
  expect(focused()).toBe('Row 0')
  await user.keyboard('jx')
  expect(onSelect.mock.calls).toEqual([[1]])
})

test('Shift and an arrow key selects a range, and does nothing where there is no selection', async () => {
  const onRange = vi.fn()
  const { user } = await openPart(<List move={moveInList} onRange={onRange} />)
  screen.getByText('Row 0').focus()

  await user.keyboard('{Shift>}{ArrowDown}{/Shift}')

  expect(onRange.mock.calls).toEqual([[0, 1]])
  expect(focused()).toBe('Row 1')
})
