import type { TablerIcon } from '@tabler/icons-react'

/** What can be done with all selected items of a list. */
export interface BulkBarAction {
  readonly name: string
  readonly icon: TablerIcon
  readonly isDanger?: boolean
  readonly run: () => void
}

export const getActionColor = ({ isDanger }: BulkBarAction): string =>
  isDanger ? 'var(--ik-offline)' : 'var(--ik-text)'
