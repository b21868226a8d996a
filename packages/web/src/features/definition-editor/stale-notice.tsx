import { Button } from '@mantine/core'
import { useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'

interface StaleNoticeProps {
  /** Who was first, where that is known. */
  readonly by: string | undefined
  readonly isSaving: boolean
  readonly onLoad: () => void
  readonly onOverwrite: () => void
}

/** Says that somebody else saved meanwhile. What was typed stays until the person decides. */
export function StaleNotice({ by, isSaving, onLoad, onOverwrite }: StaleNoticeProps) {
  const text = useText()
  return (
    <Notice
      kind="warning"
      urgent
      action={
        <>
          <Button size="xs" variant="default" onClick={onLoad}>
            {text('definition.LoadTheirs')}
          </Button>
          <Button size="xs" variant="default" loading={isSaving} onClick={onOverwrite}>
            {text('definition.Overwrite')}
          </Button>
        </>
      }
    >
      {by === undefined ? text('definition.Stale') : text('definition.StaleBy', { by })}
    </Notice>
  )
}
