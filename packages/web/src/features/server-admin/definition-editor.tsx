import { listServerActivity } from '@innkeeper/contract/activity'
import { getStatus } from '@innkeeper/contract/node-servers'
import { Badge, Button, Drawer, Modal } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toast.tsx'
import { ModeSwitch } from '../definition-editor/definition-editor.tsx'
import { useVersionedEditor, type Versioned, VersionedEditor } from '../definition-editor/versioned-editor.tsx'
import classes from './server-admin.module.css'
import { useWriteDefinition } from './use-definition.ts'

interface ServerDefinitionEditorProps {
  readonly id: string
  readonly name: string
  readonly opened: Versioned
  /** Reads the definition again, for a person whose copy is out of date. */
  readonly onReload: () => Promise<Versioned>
  readonly onClose: () => void
}

/** The definition of a server in a drawer over its page. */
export function ServerDefinitionEditor({ id, name, opened, onReload, onClose }: ServerDefinitionEditorProps) {
  const t = useT()
  const { write } = useWriteDefinition(id)
  const [isLeaving, setIsLeaving] = useState(false)
  const announce = async () => toast.success(t((await isRunning(id)) ? 'server.AdminSavedRunning' : 'common.Saved'))
  const held = useVersionedEditor({
    id: `server-${id}-definition`,
    opened,
    kind: 'server',
    read: onReload,
    write: (seen, over) => write(seen, { over }),
    winnerOf: () => lastEditor(id),
    onSaved: (isClean) => {
      void announce()
      if (isClean) onClose()
    },
  })
  const { editor, isSaving, save, discard } = held
  const { isDirty, isSound } = editor
  useUnsavedChanges({ isDirty: () => isDirty, lostWith: 'search', onLeave: discard })
  const close = () => (isDirty ? setIsLeaving(true) : onClose())

  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(72rem, 100%)"
      classNames={{ content: classes.overlay ?? '', body: classes.overlayBody ?? '' }}
      title={
        <span className={classes.overlayTitle}>
          {t('server.AdminDefinitionOf', { name })}
          {isDirty && <Badge>{t('server.AdminModified')}</Badge>}
        </span>
      }
    >
      <div className={classes.overlayBar}>
        <ModeSwitch editor={editor} />
        <span className={classes.quiet}>{t('server.AdminNextStart')}</span>
      </div>
      <VersionedEditor held={held} action={t('common.Save')} />
      <Modal
        opened={isLeaving}
        onClose={() => setIsLeaving(false)}
        title={t('server.AdminSaveChanges')}
        withCloseButton={false}
      >
        <p className={classes.quiet}>{t('server.AdminClosingDiscards')}</p>
        <div className={classes.leaving}>
          <Button
            variant="subtle"
            color="red"
            onClick={() => {
              discard()
              onClose()
            }}
          >
            {t('server.AdminCloseWithoutSaving')}
          </Button>
          <span className={classes.grow} />
          <Button variant="subtle" color="gray" onClick={() => setIsLeaving(false)}>
            {t('server.AdminKeepEditing')}
          </Button>
          <Button
            data-autofocus
            disabled={!isSound}
            loading={isSaving}
            onClick={() => {
              setIsLeaving(false)
              void save()
            }}
          >
            {t('common.Save')}
          </Button>
        </div>
      </Modal>
    </Drawer>
  )
}

/** Whether the server runs what was saved before; a node that does not answer now says no. */
async function isRunning(id: string): Promise<boolean> {
  try {
    return (await request(getStatus, { params: { id } })).running
  } catch {
    // It is saved all the same.
    return false
  }
}

/** Who wrote the definition last. */
async function lastEditor(id: string): Promise<string | undefined> {
  try {
    const query = { action: 'server.definition', result: 'done', page: 1, limit: 1 } as const
    return (await request(listServerActivity, { params: { id }, query })).activity[0]?.user?.username
  } catch {
    // That it was changed can be said without the name.
    return undefined
  }
}
