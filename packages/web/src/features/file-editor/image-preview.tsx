import { getFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button, Modal } from '@mantine/core'
import {
  IconArrowsMaximize,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconPhoto,
  IconPhotoOff,
  IconZoomScan,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { downloadBytes } from '../../api/upload-download.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { EditorHead } from './editor-head.tsx'
import classes from './file-editor.module.css'

export interface ImagePreviewProps {
  /** The id of the server. */
  readonly server: string
  /** The image, from the server's folder. */
  readonly path: string
  /** The images of the folder in the order they are listed, this one among them: previous and next go through them. */
  readonly images?: readonly string[]
  /** Another one of `images` is wanted. */
  readonly onShow?: (path: string) => void
  /** Downloads the image shown; without it there is no such button. */
  readonly onDownload?: (path: string) => void
  readonly onClose: () => void
}

/** Shows an image in an overlay. Load it lazily. */
export function ImagePreview({ server, path, images = [], onShow, onDownload, onClose }: ImagePreviewProps) {
  const t = useT()
  const { size } = useFormatters()
  const isPhone = useIsPhone()
  const [isFit, setIsFit] = useState(true)
  const { picture, retry: again } = usePicture(server, path)
  const [measured, setMeasured] = useState<Measured>()
  const [broken, setBroken] = useState<string>()
  const shown = picture.is === 'there' ? picture : undefined
  const at = images.indexOf(path)
  const goTo = (step: number) => {
    const next = at === -1 ? undefined : images[at + step]
    return next !== undefined && onShow ? () => onShow(next) : undefined
  }
  const [back, on] = [goTo(-1), goTo(1)]
  useReturnFocus()

  return (
    <Modal.Root
      opened
      onClose={onClose}
      fullScreen={isPhone}
      size="calc(100vw - 40px)"
      xOffset={20}
      yOffset={20}
      padding={0}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content
        aria-label={t('file-editor.PreviewOf', { path })}
        classNames={{ content: classes.overlay ?? '' }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') back?.()
          if (event.key === 'ArrowRight') on?.()
        }}
      >
        <Modal.Body className={classes.body ?? ''}>
          <EditorHead
            path={path}
            icon={<IconPhoto size={17} aria-hidden />}
            onClose={onClose}
            actions={
              <>
                {images.length > 1 && onShow && (
                  <>
                    <ActionIcon
                      size={36}
                      aria-label={t('file-editor.PreviousImage')}
                      disabled={!back}
                      onClick={() => back?.()}
                    >
                      <IconChevronLeft size={18} aria-hidden data-flip />
                    </ActionIcon>
                    <ActionIcon size={36} aria-label={t('file-editor.NextImage')} disabled={!on} onClick={() => on?.()}>
                      <IconChevronRight size={18} aria-hidden data-flip />
                    </ActionIcon>
                  </>
                )}
                <Button
                  className={classes.tool ?? ''}
                  variant="subtle"
                  color="gray"
                  aria-pressed={!isFit}
                  aria-label={t('file-editor.ActualSize')}
                  leftSection={
                    isFit ? <IconZoomScan size={17} aria-hidden /> : <IconArrowsMaximize size={17} aria-hidden />
                  }
                  onClick={() => setIsFit(!isFit)}
                >
                  <span className={classes.word}>{t('file-editor.ActualSize')}</span>
                </Button>
                {onDownload && (
                  <Button
                    className={classes.tool ?? ''}
                    variant="subtle"
                    color="gray"
                    aria-label={t('file-editor.Download')}
                    leftSection={<IconDownload size={17} aria-hidden />}
                    onClick={() => onDownload(path)}
                  >
                    <span className={classes.word}>{t('file-editor.Download')}</span>
                  </Button>
                )}
              </>
            }
          />
          {picture.is === 'failed' && (
            <div className={classes.failed}>
              <QueryError title={t('file-editor.FailedLoading')} error={picture.error} retry={again} />
            </div>
          )}
          {(picture.is === 'tooLarge' || (shown && broken === shown.url)) && (
            <div className={classes.failed} role="alert">
              <EmptyState
                icon={<IconPhotoOff size={24} aria-hidden />}
                title={t(picture.is === 'tooLarge' ? 'file-editor.PreviewTooLarge' : 'file-editor.FailedPreview')}
              />
            </div>
          )}
          {shown && broken !== shown.url && (
            <div className={classes.picture} data-fit={isFit || undefined}>
              <img
                src={shown.url}
                alt={path.split('/').at(-1)}
                onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
                  setMeasured({ url: shown.url, width, height })
                }
                onError={() => setBroken(shown.url)}
              />
            </div>
          )}
          {picture.is === 'loading' && <div className={classes.failed} aria-busy="true" />}
          <footer className={classes.status}>
            {shown && <span>{size(shown.size)}</span>}
            {shown && measured?.url === shown.url && (
              <span>{t('file-editor.Pixels', { width: measured.width, height: measured.height })}</span>
            )}
            {images.length > 1 && at !== -1 && (
              <span className={classes.position}>{t('file-editor.Place', { at: at + 1, total: images.length })}</span>
            )}
          </footer>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface Measured {
  readonly url: string
  readonly width: number
  readonly height: number
}

type Picture =
  | { readonly is: 'loading' }
  | { readonly is: 'tooLarge' }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'there'; readonly url: string; readonly size: number }

/** Browsers find out most kinds by themselves; of a vector image they must be told. */
const kinds: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
}

/** Fetches an image with the bearer token and holds it in memory. As an image a vector file runs no scripts. */
function usePicture(server: string, path: string): { readonly picture: Picture; readonly retry: () => void } {
  const [picture, setPicture] = useState<Picture>({ is: 'loading' })
  const [tries, setTries] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: every try reads anew
  useEffect(() => {
    const reading = new AbortController()
    let url: string | undefined
    setPicture({ is: 'loading' })
    const read = async () => {
      const given = { params: { id: server, path } }
      const answer = await downloadBytes(getFile, given, { headers: { accept: '*/*' }, signal: reading.signal })
      if (Number(answer.headers.get('content-length') ?? 0) > limits.previewBytes) {
        reading.abort()
        return setPicture({ is: 'tooLarge' })
      }
      const kind = kinds[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? ''
      const bytes = new Blob([await answer.arrayBuffer()], { type: kind })
      if (reading.signal.aborted) return
      url = URL.createObjectURL(bytes)
      setPicture({ is: 'there', url, size: bytes.size })
    }
    read().catch((error: unknown) => {
      if (!reading.signal.aborted) setPicture({ is: 'failed', error })
    })
    return () => {
      reading.abort()
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [server, path, tries])
  return { picture, retry: () => setTries((before) => before + 1) }
}
