import { type FileVersion, getFileVersions } from '@innkeeper/contract/servers/trash'
import { Button, Group, Modal, SegmentedControl, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ListAndDetails } from '../../ui/lists/list-and-details.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { EditorSkeleton, FileState } from './file-state.tsx'
import { isSameText, type TextFile } from './text-file.ts'
import { useFileVersion } from './use-file.ts'

const CompareView = lazyView(async () => (await import('../compare/compare-view.tsx')).CompareView)
const ReadOnlyView = lazyView(async () => (await import('../compare/compare-view.tsx')).ReadOnlyView)

interface VersionsDialogProps {
  readonly server: string
  readonly path: string
  /** The text in the editor, which versions are compared with; `undefined`: closed. */
  readonly lines: readonly string[] | undefined
  /** Absent without permission. */
  readonly onRestore: ((version: TextFile) => void) | undefined
  readonly onClose: () => void
}

/** The former contents of a file: who saved them and when, their text, and what differs. */
export function VersionsDialog({ lines, onClose, ...props }: VersionsDialogProps) {
  const t = useT()
  const name = getName(props.path)
  return (
    <Modal
      opened={lines !== undefined}
      onClose={onClose}
      title={t('file-editor.VersionsOf', { name })}
      variant="phone-full-screen"
      size="min(90rem, calc(100vw - 60px))"
    >
      {lines !== undefined && <Versions {...props} lines={lines} onClose={onClose} />}
    </Modal>
  )
}

interface VersionsProps extends VersionsDialogProps {
  readonly lines: readonly string[]
}

function Versions({ server, path, lines, onRestore, onClose }: VersionsProps) {
  const t = useT()
  const query = useApiQuery(getFileVersions, { params: { id: server, path } }, { staleTime: 0, gcTime: 0 })
  const { dateTime } = useFormatters()
  return (
    <QueryState
      query={query}
      errorTitle={t('file-editor.VersionsNotLoaded')}
      skeletonHeight="11rem"
      isEmpty={({ versions }) => versions.length === 0}
      empty={
        <EmptyState icon={IconHistory} title={t('file-editor.NoVersions')}>
          {t('file-editor.VersionsAbout')}
        </EmptyState>
      }
    >
      {({ versions }) => (
        <ListAndDetails
          label={t('file-editor.Versions')}
          items={versions}
          getKey={getVersionKey}
          renderEntry={(version) => ({
            label: dateTime(Date.parse(version.savedAt)),
            description: <VersionFacts version={version} />,
          })}
          renderDetails={(version) => (
            <VersionDetails
              server={server}
              path={path}
              lines={lines}
              version={version}
              onRestore={
                onRestore &&
                ((text) => {
                  onClose()
                  onRestore(text)
                })
              }
            />
          )}
        />
      )}
    </QueryState>
  )
}

function VersionFacts({ version: { savedBy, bytes, reason, path } }: { readonly version: FileVersion }) {
  const t = useT()
  const { fileSize } = useFormatters()
  return (
    <>
      {savedBy !== undefined && (
        <>
          <bdi>{savedBy}</bdi>
          {' · '}
        </>
      )}
      {fileSize(bytes)}
      {reason !== 'overwritten' && ` · ${t(`files.Discarded_${reason}`)}`}
      {path !== undefined && (
        <>
          {' · '}
          <bdi>{path}</bdi>
        </>
      )}
    </>
  )
}

interface VersionDetailsProps extends Pick<VersionsProps, 'server' | 'path' | 'lines' | 'onRestore'> {
  readonly version: FileVersion
}

function VersionDetails({ server, path, lines, version, onRestore }: VersionDetailsProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const [mode, setMode] = useState<'compare' | 'view'>('compare')
  const query = useFileVersion(server, version.path ?? path, version.entry)
  const name = getName(path)
  const label = dateTime(Date.parse(version.savedAt))
  return (
    <FileState query={query}>
      {(data) => (
        <>
          <Group justify="space-between" gap="xs" mb="sm">
            <SegmentedControl
              aria-label={label}
              value={mode}
              onChange={setMode}
              data={[
                { value: 'compare', label: t('common.Compare') },
                { value: 'view', label: t('files.Preview') },
              ]}
            />
            {onRestore && <Button onClick={() => onRestore(data)}>{t('forms.Restore')}</Button>}
          </Group>
          {mode === 'compare' && isSameText(data.lines, lines) ? (
            <Text c="dimmed">{t('templates.NoChanges')}</Text>
          ) : (
            <Suspense fallback={<EditorSkeleton />}>
              {mode === 'compare' ? (
                <CompareView
                  theirs={data.lines}
                  mine={lines}
                  name={name}
                  labels={{ theirs: label, mine: t('file-editor.InEditor') }}
                />
              ) : (
                <ReadOnlyView lines={data.lines} name={name} label={label} />
              )}
            </Suspense>
          )}
        </>
      )}
    </FileState>
  )
}

/** An entry of the trash may have the file below several paths that it had. */
function getVersionKey({ entry, path = '' }: FileVersion): string {
  return `${entry} ${path}`
}

function getName(path: string): string {
  return path.split('/').at(-1) ?? path
}
