import { listServerActivity } from '@innkeeper/contract/activity/activity'
import { getStatus } from '@innkeeper/contract/servers/node-servers'
import { Badge, Drawer, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import { UnsavedChangesDialog } from '../../forms/unsaved-changes-dialog.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { ModeSwitch } from '../definition-editor/definition-editor.tsx'
import { useVersionedEditor, VersionedEditor, type WithVersion } from '../definition-editor/versioned-editor.tsx'
import { useWriteDefinition } from './use-definition.ts'

interface ServerDefinitionEditorProps {
  readonly id: string
  readonly name: string
  readonly opened: WithVersion
  /** Fetches the latest definition. */
  readonly onReload: () => Promise<WithVersion>
  readonly onClose: () => void
}

const column = { display: 'flex', flexDirection: 'column' } as const

/** The definition editor of a server, in a drawer over its page. */
export function ServerDefinitionEditor({ id, name, opened, onReload, onClose }: ServerDefinitionEditorProps) {
  const t = useT()
  const { write } = useWriteDefinition(id)
  const [isConfirmingClose, setIsConfirmingClose] = useState(false)
  const showSaved = async () => toast.success(t((await isRunning(id)) ? 'server.AdminSavedRunning' : 'common.Saved'))
  const state = useVersionedEditor({
    id: `server-${id}-definition`,
    name,
    initial: opened,
    kind: 'server',
    load: onReload,
    save: write,
    guard: { lostOn: 'search' },
    getLastEditor: () => getLastEditor(id),
    onSaved: (isClean) => {
      void showSaved()
      if (isClean) onClose()
    },
  })
  const { editor, save, discard } = state
  const { isDirty, isValid } = editor

  return (
    <Drawer
      opened
      onClose={() => (isDirty ? setIsConfirmingClose(true) : onClose())}
      position="right"
      size="min(72rem, 100%)"
      styles={{ content: column, body: { ...column, flex: 1, gap: '0.75rem' } }}
      title={
        <Group component="span" gap="xs">
          {t('server.AdminDefinitionOf', { name })}
          {isDirty && <Badge>{t('server.AdminModified')}</Badge>}
        </Group>
      }
    >
      <Group gap="xs">
        <ModeSwitch editor={editor} />
        <Text variant="note">{t('server.AdminNextStart')}</Text>
      </Group>
      <VersionedEditor state={state} action={t('common.Save')} />
      <UnsavedChangesDialog
        opened={isConfirmingClose}
        title={t('server.AdminSaveChanges')}
        body={t('server.AdminClosingDiscards')}
        canSave={isValid}
        onDiscard={() => {
          discard()
          onClose()
        }}
        onKeepEditing={() => setIsConfirmingClose(false)}
        onSave={() => {
          setIsConfirmingClose(false)
          void save()
        }}
      />
    </Drawer>
  )
}

/** Whether the server is running with the previous definition; `false` when its node does not respond. */
async function isRunning(id: string): Promise<boolean> {
  try {
    return (await request(getStatus, { params: { id } })).running
  } catch {
    // Only the wording of the toast depends on it.
    return false
  }
}

/** The name of the user who saved the definition last; `undefined` when the audit log cannot be read. */
async function getLastEditor(id: string): Promise<string | undefined> {
  try {
    const query = { action: 'server.definition', result: 'done', page: 1, limit: 1 } as const
    return (await request(listServerActivity, { params: { id }, query })).activity[0]?.user?.username
  } catch {
    return undefined
  }
}
