import type { TFunction } from '../../i18n/i18n.tsx'
import type { Item } from './entries.ts'
import { isEditable, openingOf } from './kinds.ts'

export const actions = [
  'preview',
  'edit',
  'download',
  'rename',
  'move',
  'copy',
  'archive',
  'extract',
  'copyPath',
  'delete',
] as const
export type Action = (typeof actions)[number]

/** The name of each, as a key of the catalogue. */
export const actionNames: Readonly<Record<Action, string>> = {
  preview: 'files.Preview',
  edit: 'files.Edit',
  download: 'files.Download',
  rename: 'files.Rename',
  move: 'files.Move',
  copy: 'files.Copy',
  archive: 'files.Archive',
  extract: 'files.Extract',
  copyPath: 'files.CopyPath',
  delete: 'files.Delete',
}

/** The names of those that can be done with several items, as keys of the catalogue with a `count`. */
const countedNames: Readonly<Partial<Record<Action, string>>> = {
  download: 'files.DownloadCount',
  move: 'files.MoveCount',
  copy: 'files.CopyCount',
  archive: 'files.ArchiveCount',
  delete: 'files.DeleteThese',
}

/** How a menu names an action: with the number of items when there are several. */
export function labelOf(t: TFunction, action: Action, items: readonly Item[]): string {
  const counted = items.length > 1 ? countedNames[action] : undefined
  return counted ? t(counted, { count: items.length }) : t(actionNames[action])
}

/** What can be done with these together, in the order of the menu. Nothing can be done with what is odd. */
export function actionsFor(items: readonly Item[], canWrite: boolean): readonly Action[] {
  const [only, another] = items
  if (!only || items.some(({ isOdd }) => isOdd)) return []
  const isOne = another === undefined
  const opening = openingOf(only)
  const can: Readonly<Record<Action, boolean>> = {
    preview: isOne && opening === 'preview',
    edit: isOne && isEditable(only),
    download: true,
    rename: isOne && canWrite,
    move: canWrite,
    copy: canWrite,
    archive: canWrite,
    extract: isOne && canWrite && opening === 'extract',
    copyPath: isOne,
    delete: canWrite,
  }
  return actions.filter((action) => can[action])
}

/** Those that a row may show beside its menu, and their names where they say on what. */
export const quickActionNames = {
  edit: 'files.EditNamed',
  extract: 'files.ExtractNamed',
  download: 'files.DownloadNamed',
  archive: 'files.ArchiveNamed',
} as const satisfies Partial<Record<Action, string>>
export type QuickAction = keyof typeof quickActionNames

/** The one or two that a row shows beside its menu. */
export function quickActionsOf(item: Item, canWrite: boolean): readonly QuickAction[] {
  const can = actionsFor([item], canWrite)
  const quick: readonly QuickAction[] = item.isFolder ? ['archive'] : ['edit', 'extract', 'download']
  return quick.filter((action) => can.includes(action))
}
