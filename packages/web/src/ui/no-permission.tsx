import type { PanelScope } from '@innkeeper/contract/permissions'
import { Paper } from '@mantine/core'
import { MissingPermission } from './empty-state.tsx'

/** Shown instead of a page that the user has no permission for. */
export function NoPermission({ scope }: { scope: PanelScope }) {
  return (
    <Paper>
      <MissingPermission scope={scope} />
    </Paper>
  )
}
