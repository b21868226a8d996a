import { getUploads, removeUpload } from '@innkeeper/contract/files'
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { basename } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { forget, isMoving, isOf, type Remembered, rememberedUploads } from './memory.ts'
import classes from './uploads.module.css'
import { useUploads } from './use-uploads.tsx'

interface Unfinished {
  readonly known: Remembered
  readonly offset: number
}

/**
 * Uploads that this browser began and that were interrupted, by a reload for example: each goes on with the same file,
 * or is discarded. Those of other people and browsers may be under way, and are left alone.
 */
export function UnfinishedUploads({ server, canWrite }: { readonly server: string; readonly canWrite: boolean }) {
  const t = useT()
  // Read once: what begins from now on is shown by the queue.
  const [known] = useState(() => rememberedUploads().filter((one) => one.server === server && !isMoving(one)))
  const [gone, setGone] = useState<readonly string[]>([])
  const isAsked = canWrite && known.length > 0
  const { data } = useApiQuery(getUploads, { params: { id: server } }, { enabled: isAsked, staleTime: 0 })
  const left = (data ?? []).flatMap(({ id, offset }): readonly Unfinished[] => {
    const own = known.find(({ upload }) => upload === id)
    return own && !gone.includes(id) ? [{ known: own, offset }] : []
  })
  if (!isAsked || left.length === 0) return null
  return (
    <Alert type="info">
      <p>{t('uploads.UnfinishedTitle', { count: left.length })}</p>
      <ul className={classes.unfinished}>
        {left.map((one) => (
          <Row key={one.known.upload} {...one} onGone={() => setGone([...gone, one.known.upload])} />
        ))}
      </ul>
    </Alert>
  )
}

function Row({ known, offset, onGone }: Unfinished & { readonly onGone: () => void }) {
  const t = useT()
  const { bytes } = useFormatters()
  const { resume } = useUploads()
  const discard = useApiMutation(removeUpload)
  const input = useRef<HTMLInputElement>(null)
  const [isWrong, setIsWrong] = useState(false)
  const { server, path, size, upload } = known
  const name = basename(path)
  const goOn = (file: File) => {
    setIsWrong(!isOf(known, file))
    if (!isOf(known, file)) return
    resume(server, path, file, upload)
    onGone()
  }

  return (
    <li>
      <span>
        <CodeText>{path}</CodeText>{' '}
        <span className={classes.quiet}>{t('uploads.UnfinishedOf', { sent: bytes(offset), size: bytes(size) })}</span>
      </span>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={t('uploads.ChooseAgainOf', { name })}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file) goOn(file)
        }}
      />
      <Button size="xs" variant="default" onClick={() => input.current?.click()}>
        {t('uploads.ChooseAgain')}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        loading={discard.isPending}
        aria-label={t('uploads.DiscardOf', { name })}
        onClick={() => {
          const gone = () => {
            forget(upload)
            onGone()
          }
          discard.mutateAsync({ params: { id: server, upload } }).then(gone, () => undefined)
        }}
      >
        {t('uploads.Discard')}
      </Button>
      {isWrong && (
        <span className={classes.wrong} role="alert">
          {t('uploads.OtherFile')}
        </span>
      )}
    </li>
  )
}
