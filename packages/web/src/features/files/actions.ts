import type { TFunction, TranslationKey } from '../../i18n/i18n.tsx'
import type { FileItem } from './entries.ts'
import { getOpenAction, isEditable } from './file-types.ts'

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

/** Catalog keys of the action names. */
export const actionNames: Readonly<Record<Action, TranslationKey>> = {
  preview: 'files.Preview',
  edit: 'common.Edit',
  download: 'common.Download',
  rename: 'common.Rename',
  move: 'files.Move',
  copy: 'files.Copy',
  archive: 'files.Archive',
  extract: 'files.Extract',
  copyPath: 'files.CopyPath',
  delete: 'common.Delete',
}

/** Catalog keys with a `count`, for the actions that accept several items. */
const countedActionNames: Readonly<Partial<Record<Action, TranslationKey>>> = {
  download: 'files.DownloadCount',
  move: 'files.MoveCount',
  copy: 'files.CopyCount',
  archive: 'files.ArchiveCount',
  delete: 'files.DeleteItems',
}

/** The text of a menu item. It contains the number of items when there are several. */
export function getActionLabel(t: TFunction, action: Action, items: readonly FileItem[]): string {
  const counted = items.length > 1 ? countedActionNames[action] : undefined
  return counted ? t(counted, { count: items.length }) : t(actionNames[action])
}

/** The actions that apply to all of these items, in menu order. Unsupported items (sockets, devices) have none. */
export function getAvailableActions(items: readonly FileItem[], canWrite: boolean): readonly Action[] {
  const [only, another] = items
  if (!only || items.some(({ isUnsupported }) => isUnsupported)) return []
  const isSingle = another === undefined
  const openAction = getOpenAction(only)
  const can: Readonly<Record<Action, boolean>> = {
    preview: isSingle && openAction === 'preview',
    edit: isSingle && isEditable(only),
    download: true,
    rename: isSingle && canWrite,
    move: canWrite,
    copy: canWrite,
    archive: canWrite,
    extract: isSingle && canWrite && openAction === 'extract',
    copyPath: isSingle,
    delete: canWrite,
  }
  return actions.filter((action) => can[action])
}

/** Actions that a row can show as buttons, and the catalog keys of their accessible names. */
export const quickActionNames = {
  edit: 'common.EditNamed',
  extract: 'files.ExtractNamed',
  download: 'files.DownloadNamed',
  archive: 'files.ArchiveNamed',
} as const satisfies Partial<Record<Action, string>>
export type QuickAction = keyof typeof quickActionNames

/** The one or two actions that a row shows beside its menu button. */
export function getQuickActions(item: FileItem, canWrite: boolean): readonly QuickAction[] {
  const available = getAvailableActions([item], canWrite)
  const quick: readonly QuickAction[] = item.isFolder ? ['archive'] : ['edit', 'extract', 'download']
  return quick.filter((action) => available.includes(action))
}
